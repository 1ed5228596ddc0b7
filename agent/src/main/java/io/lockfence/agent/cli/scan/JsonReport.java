/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A scan's result as one JSON object, for other programs. Fields are only ever added. */
public final class JsonReport {
    private final StringBuilder out = new StringBuilder();

    private JsonReport() {}

    /** Ends with a line end. */
    public static String of(ScanResult result) {
        JsonReport report = new JsonReport();
        report.value(
                object(
                        "version", 1,
                        "paths", result.paths(),
                        "classes", result.classes(),
                        "ownClasses", result.ownClasses(),
                        "ownMethods", result.ownMethods(),
                        "libraries",
                                result.libraries().stream()
                                        .map(use -> object(
                                                "name", use.name(),
                                                "title", use.title(),
                                                "fenced", use.fenced(),
                                                "present", use.present(),
                                                "version", use.version(),
                                                "calls", use.sites()))
                                        .toList(),
                        "databases",
                                result.databases().stream()
                                        .map(use -> object(
                                                "name", use.name(), "fenced", use.fenced(), "version", use.version()))
                                        .toList(),
                        "urls", result.urls(),
                        "findings",
                                result.findings().stream()
                                        .map(finding -> object(
                                                "shape",
                                                        finding.shape()
                                                                .name()
                                                                .toLowerCase(Locale.ROOT)
                                                                .replace('_', '-'),
                                                "place", place(finding.place()),
                                                "what", finding.what(),
                                                "why", finding.why()))
                                        .toList(),
                        "locks", result.locks().stream().map(JsonReport::lock).toList(),
                        "writes",
                                result.writes().stream().map(JsonReport::write).toList(),
                        "notices", result.notices(),
                        "rules", result.rules()),
                "");
        return report.out.append('\n').toString();
    }

    private static Map<String, Object> lock(ScanResult.LockSite site) {
        return object(
                "id", site.id(),
                "library", site.library(),
                "call", site.call(),
                "wrapper", site.wrapper(),
                "key", site.key(),
                "status", site.status().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                "leaseMillis", site.leaseMillis(),
                "place", place(site.place()),
                "releasedElsewhere", site.releasedElsewhere(),
                "within",
                        site.within().stream()
                                .map(use -> object(
                                        "write", write(use.write()), "path", use.path(), "otherThread", use.task()))
                                .toList());
    }

    private static Map<String, Object> write(ScanResult.WriteSite write) {
        return object(
                "kind", write.kind().name().toLowerCase(Locale.ROOT),
                "api", write.title(),
                "call", write.call(),
                "detail", write.detail(),
                "place", place(write.place()));
    }

    private static Map<String, Object> place(Place place) {
        return object("class", place.className(), "method", place.method(), "file", place.file(), "line", place.line());
    }

    private static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }

    private void value(Object value, String indent) {
        if (value instanceof Map<?, ?> map) {
            block('{', '}', map.entrySet(), indent);
        } else if (value instanceof List<?> list) {
            block('[', ']', list, indent);
        } else if (value instanceof String text) {
            text(text);
        } else {
            out.append(value);
        }
    }

    private void block(char open, char close, Iterable<?> entries, String indent) {
        out.append(open);
        String separator = "\n";
        String inner = indent + "  ";
        for (Object entry : entries) {
            out.append(separator).append(inner);
            separator = ",\n";
            if (entry instanceof Map.Entry<?, ?> named) {
                text((String) named.getKey());
                out.append(": ");
                value(named.getValue(), inner);
            } else {
                value(entry, inner);
            }
        }
        if (separator.startsWith(",")) {
            out.append('\n').append(indent);
        }
        out.append(close);
    }

    private void text(String text) {
        out.append('"');
        for (char c : text.toCharArray()) {
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < ' ' || c >= 0x7F && c < 0xA0 || Character.isSurrogate(c) || c == 0x2028 || c == 0x2029) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
