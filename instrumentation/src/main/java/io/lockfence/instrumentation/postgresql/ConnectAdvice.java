/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.postgresql;

import java.util.Properties;
import net.bytebuddy.asm.Advice;

/** {@code Driver.connect}: the one place where all data sources and pools get their connections from. */
public final class ConnectAdvice {
    private ConnectAdvice() {}

    @Advice.OnMethodExit(inline = false)
    public static void exit(
            @Advice.This Object driver,
            @Advice.Argument(0) String url,
            @Advice.Argument(1) Properties info,
            @Advice.Return Object connection) {
        Sessions.opened(driver, url, info, connection);
    }
}
