/* SPDX-License-Identifier: Apache-2.0 */
package org.postgresql.jdbc;

/** Of the stub driver: named in descriptors. */
public interface BatchResultHandler {}
