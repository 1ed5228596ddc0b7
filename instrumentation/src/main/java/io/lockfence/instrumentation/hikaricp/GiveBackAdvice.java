/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.hikaricp;

import io.lockfence.bootstrap.LeaseContext;
import io.lockfence.bootstrap.Seams;
import net.bytebuddy.asm.Advice;

/** {@code PoolEntry.recycle}: the service has closed the connection that it took out of the pool. */
public final class GiveBackAdvice {
    private GiveBackAdvice() {}

    @Advice.OnMethodEnter(inline = false, suppress = Throwable.class)
    public static void enter(@Advice.FieldValue("connection") Object connection) {
        if (!LeaseContext.idle() && connection != null) {
            Seams.givenBack(connection);
        }
    }
}
