/* SPDX-License-Identifier: Apache-2.0 */
package org.postgresql.core;

/** Of the stub driver: named in descriptors. */
public interface ResultCursor {}
