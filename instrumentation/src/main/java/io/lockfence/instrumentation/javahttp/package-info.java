/**
 * The JDK's {@code HttpClient}, 17 to 25, HTTP/1.1 and HTTP/2. Its classes see no class of ours but bootstrap's; {@code java.net.http} itself is visible
 * here, as its public API.
 */
package io.lockfence.instrumentation.javahttp;
