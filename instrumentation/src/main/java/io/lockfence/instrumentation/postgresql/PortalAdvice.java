/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import io.lockfence.bootstrap.LeaseContext;
import net.bytebuddy.asm.Advice;

/** A portal is made when a statement with a fetch size is sent: the cursor of a streaming result. */
public final class PortalAdvice {
    private PortalAdvice() {}

    @Advice.OnMethodExit(inline = false)
    public static void exit(@Advice.This Object portal) {
        if (!LeaseContext.idle()) {
            Portals.opened(portal);
        }
    }
}
