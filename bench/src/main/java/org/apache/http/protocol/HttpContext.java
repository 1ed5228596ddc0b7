/* SPDX-License-Identifier: Apache-2.0 */
package org.apache.http.protocol;

/** Of the stub of Apache HttpClient 4. */
public interface HttpContext {
    Object getAttribute(String name);
}
