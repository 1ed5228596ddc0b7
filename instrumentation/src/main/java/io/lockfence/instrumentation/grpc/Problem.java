/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import io.lockfence.bootstrap.Answer;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a problem document says to people, for where there is room for a line only. */
final class Problem {
    private static final Pattern DETAIL = Pattern.compile("\"detail\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*+)\"");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|(.))");

    private Problem() {}

    /** Its detail; its title where it has none. */
    static String detail(Answer answer) {
        Matcher detail = DETAIL.matcher(new String(answer.body(), StandardCharsets.UTF_8));
        return detail.find() ? unescape(detail.group(1)) : answer.title();
    }

    private static String unescape(String json) {
        return ESCAPE.matcher(json).replaceAll(escape -> {
            String plain = escape.group(1) != null
                    ? String.valueOf((char) Integer.parseInt(escape.group(1), 16))
                    : switch (escape.group(2)) {
                        case "n", "r", "t", "b", "f" -> " ";
                        default -> escape.group(2);
                    };
            return Matcher.quoteReplacement(plain);
        });
    }
}
