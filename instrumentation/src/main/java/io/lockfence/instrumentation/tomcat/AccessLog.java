/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.tomcat;

import io.lockfence.bootstrap.Seams;
import io.lockfence.instrumentation.PublicMethods;
import java.lang.invoke.MethodHandle;

/** Tomcat's access log, for requests that its container does not see: they would be missing there. */
final class AccessLog {
    /** Of {@code connector.Request}. */
    private record Types(MethodHandle context, MethodHandle host, MethodHandle connector) {}

    private static final ClassValue<Types> TYPES = new ClassValue<>() {
        @Override
        protected Types computeValue(Class<?> request) {
            return new Types(
                    PublicMethods.method(request, "getContext"),
                    PublicMethods.method(request, "getHost"),
                    PublicMethods.method(request, "getConnector"));
        }
    };

    private AccessLog() {}

    static void log(Object request, Object response) {
        try {
            Types types = TYPES.get(request.getClass());
            Object container = types.context().invoke(request);
            if (container == null) {
                container = types.host().invoke(request);
            }
            if (container == null) {
                Object connector = types.connector().invoke(request);
                Object service =
                        PublicMethods.method(connector.getClass(), "getService").invoke(connector);
                container =
                        PublicMethods.method(service.getClass(), "getContainer").invoke(service);
            }
            MethodHandle log =
                    PublicMethods.method(container.getClass(), "logAccess", "Request", "Response", "long", "boolean");
            log.invoke(container, request, response, 0L, true);
        } catch (Throwable t) {
            Seams.fault(t);
        }
    }
}
