/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Field lines that no caller's agent writes: each must be answered with 400. The grammar itself has tests of its own, in module agent. */
final class BadHeaders {
    private static final String REST = ";lock=\"order:1\";token=\"5\";gen=0;lease=\"7f3c\"";

    private BadHeaders() {}

    /** By what is wrong with them. */
    static Map<String, List<String>> all() {
        Map<String, List<String>> all = new LinkedHashMap<>();
        one(all, "no string", "orders/1" + REST);
        one(all, "no end of the string", "\"orders/1" + REST.replace("\"", ""));
        one(all, "an inner list", "(\"orders/1\")" + REST);
        one(all, "a number", "42" + REST);
        one(all, "an empty resource", "\"\"" + REST);
        one(all, "no token", "\"orders/1\";lock=\"order:1\";gen=0;lease=\"7f3c\"");
        one(all, "no lock", "\"orders/1\";token=\"5\";gen=0;lease=\"7f3c\"");
        one(all, "no lease", "\"orders/1\";lock=\"order:1\";token=\"5\";gen=0");
        one(all, "token as a number", "\"orders/1\"" + REST.replace("\"5\"", "5"));
        one(all, "token zero", "\"orders/1\"" + REST.replace("\"5\"", "\"0\""));
        one(all, "token below zero", "\"orders/1\"" + REST.replace("\"5\"", "\"-5\""));
        one(all, "token beyond 63 bits", "\"orders/1\"" + REST.replace("\"5\"", "\"9223372036854775808\""));
        one(all, "token with zeros before it", "\"orders/1\"" + REST.replace("\"5\"", "\"05\""));
        one(all, "generation below zero", "\"orders/1\"" + REST.replace("gen=0", "gen=-1"));
        one(all, "generation as text", "\"orders/1\"" + REST.replace("gen=0", "gen=\"0\""));
        one(all, "an empty lease id", "\"orders/1\"" + REST.replace("7f3c", ""));
        one(all, "a comma at the end", "\"orders/1\"" + REST + ",");
        one(all, "two items without a comma", "\"orders/1\"" + REST + " \"orders/2\"" + REST);
        one(all, "a resource twice", "\"orders/1\"" + REST + ", \"orders/1\"" + REST);
        one(all, "a letter outside ASCII", "\"orders/\u00e4\"" + REST);
        one(all, "many items", items(17));
        all.put(
                "a resource twice, on two lines",
                List.of("Fencing-Token: \"orders/1\"" + REST, "fencing-token: \"orders/1\"" + REST));
        all.put("a bad line after a good one", List.of("Fencing-Token: \"orders/1\"" + REST, "Fencing-Token: ("));
        return all;
    }

    private static void one(Map<String, List<String>> all, String what, String value) {
        all.put(what, List.of("Fencing-Token: " + value));
    }

    private static String items(int count) {
        List<String> items = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            items.add("\"orders/" + i + "\"" + REST);
        }
        return String.join(", ", items);
    }

    /** Longer than a header may be; servers bound them too, and may then answer as they do. */
    static List<String> huge() {
        return List.of("Fencing-Token: \"orders/1\"" + REST + ";x=\"" + "y".repeat(9_000) + "\"");
    }

    /** One that is right. */
    static String good(int item, long token) {
        return "Fencing-Token: \"orders/" + item + "\";lock=\"order:" + item + "\";token=\"" + token
                + "\";gen=0;lease=\"7f3c" + token + "\"";
    }
}
