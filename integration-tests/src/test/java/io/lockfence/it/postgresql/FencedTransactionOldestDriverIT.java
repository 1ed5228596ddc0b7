/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.postgresql;

/** The same on the oldest driver of the supported line. */
class FencedTransactionOldestDriverIT extends FencedTransactionIT {
    @Override
    Fenced fenced() {
        return Fenced.enforced(Drivers.OLDEST);
    }
}
