/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

/**
 * A pattern of URLs, {@code scheme://host[:port]/path}. The scheme is {@code http}, {@code https} or {@code *} for both; in a host and in a segment of the path
 * {@code *} is any run of characters; in a path {@code **} is anything; the port is a number, {@code *} for any, or that of the scheme if none is written. Query and
 * fragment of a URL, credentials and parameters of its path are never compared, and its other spellings are: capitals, a dot behind the host, dot segments, {@code %xx}, a "/" at
 * the end. Immutable.
 */
public final class HttpPattern {
    private static final String ANY = "*";
    private static final int ANY_PORT = -1;
    /** That of the scheme, where either will do. */
    private static final int PORT_OF_SCHEME = -2;

    private final String text;
    private final String scheme;
    private final Glob host;
    private final int port;
    private final PathGlob path;

    private HttpPattern(String text, String scheme, Glob host, int port, PathGlob path) {
        this.text = text;
        this.scheme = scheme;
        this.host = host;
        this.port = port;
        this.path = path;
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public static HttpPattern parse(String text) {
        int schemeEnd = text.indexOf("://");
        String scheme = schemeEnd < 0 ? "" : text.substring(0, schemeEnd);
        if (!scheme.equals("http") && !scheme.equals("https") && !scheme.equals(ANY)) {
            throw new IllegalArgumentException("it does not start with 'http://', 'https://' or '*://'");
        }
        if (text.indexOf('?') >= 0 || text.indexOf('#') >= 0) {
            throw new IllegalArgumentException(
                    "query and fragment are never compared: leave out the '?' or '#' and what follows");
        }
        int from = schemeEnd + 3;
        int slash = text.indexOf('/', from);
        if (slash < 0) {
            throw new IllegalArgumentException("it has no path: end it with '/**' for everything on that host");
        }
        String authority = text.substring(from, slash);
        if (authority.indexOf('@') >= 0) {
            throw new IllegalArgumentException(
                    "credentials are never compared: leave out the '@' and what precedes it");
        }
        int colon = HttpUrl.colon(authority);
        return new HttpPattern(
                text,
                scheme,
                host(colon < 0 ? authority : authority.substring(0, colon)),
                port(scheme, colon < 0 ? null : authority.substring(colon + 1)),
                PathGlob.ofUrl(text.substring(slash)));
    }

    private static Glob host(String text) {
        if (text.contains("**")) {
            throw new IllegalArgumentException("'**' cannot stand in a host, where '*' is any run of characters");
        }
        if (text.indexOf('*') >= 0
                && (text.indexOf('[') >= 0
                        || text.indexOf(':') >= 0
                        || text.chars().anyMatch(c -> c > 127))) {
            throw new IllegalArgumentException("'*' cannot stand in an address, nor in a host that is not ASCII");
        }
        String host = text.isEmpty() || !text.chars().allMatch(HttpPattern::mayBeInHost) ? null : HttpUrl.host(text);
        if (host == null) {
            throw new IllegalArgumentException("it has no host, or one that is none");
        }
        return Glob.parse(host);
    }

    private static boolean mayBeInHost(int c) {
        return c > 127 && c < Glob.STAR || Character.isLetterOrDigit(c) || "-._*[]:".indexOf(c) >= 0;
    }

    private static int port(String scheme, String text) {
        if (text == null) {
            return scheme.equals(ANY) ? PORT_OF_SCHEME : HttpUrl.portOf(scheme);
        }
        int port = text.equals(ANY) ? ANY_PORT : HttpUrl.port(text);
        if (port < 0 && !text.equals(ANY)) {
            throw new IllegalArgumentException("what follows ':' is no port, which is a number or '*'");
        }
        return port;
    }

    /** Whether a URL matches. Never throws. */
    public boolean matches(String url) {
        HttpUrl parsed = HttpUrl.of(url);
        return parsed != null && matches(parsed);
    }

    boolean matches(HttpUrl url) {
        return (scheme.equals(ANY) || scheme.equals(url.scheme()))
                && (port == url.port()
                        || port == ANY_PORT
                        || port == PORT_OF_SCHEME && url.port() == HttpUrl.portOf(url.scheme()))
                && host.matches(url.host())
                && path.matches(url.path());
    }

    /** Whether every URL that {@code other} matches is matched by this pattern too; false if that cannot be told. */
    boolean covers(HttpPattern other) {
        boolean samePort = port == other.port
                || port == PORT_OF_SCHEME && !other.scheme.equals(ANY) && other.port == HttpUrl.portOf(other.scheme);
        return (scheme.equals(ANY) || scheme.equals(other.scheme))
                && (port == ANY_PORT || samePort)
                && host.covers(other.host)
                && path.covers(other.path);
    }

    /** As it stands in the rules. */
    @Override
    public String toString() {
        return text;
    }
}
