/* SPDX-License-Identifier: Apache-2.0 */
package com.example.http;

import java.util.List;
import java.util.Map;

/**
 * A request, as the handler of a server gets it.
 *
 * @param method in capitals
 * @param path decoded, without the query
 * @param headers the values of each field line, by name in small letters
 * @param body empty if there is none
 */
public record Request(String method, String path, Map<String, List<String>> headers, String body) {}
