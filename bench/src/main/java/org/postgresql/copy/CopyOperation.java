/* SPDX-License-Identifier: Apache-2.0 */
package org.postgresql.copy;

/** Of the stub driver: as much of pgjdbc's type as Lockfence calls. */
public interface CopyOperation {
    boolean isActive();
}
