/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.http;

/** Of the stub of Apache HttpClient 4. */
public interface HttpMessage {
    void setHeader(String name, String value);

    void removeHeaders(String name);
}
