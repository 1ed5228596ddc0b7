/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.grpc;

import io.lockfence.bootstrap.FencedException;
import io.lockfence.instrumentation.Handles;
import java.lang.invoke.MethodHandle;

/** {@code io.grpc.Status} of one class loader. */
final class Statuses {
    private static final int UNKNOWN = 2;
    private static final int INVALID_ARGUMENT = 3;
    private static final int PERMISSION_DENIED = 7;
    private static final int FAILED_PRECONDITION = 9;
    private static final int ABORTED = 10;
    private static final int INTERNAL = 13;
    private static final int UNAVAILABLE = 14;

    private final MethodHandle fromCodeValue;
    private final MethodHandle withDescription;
    private final MethodHandle withCause;
    private final MethodHandle getCode;
    private final MethodHandle value;

    Statuses(Class<?> grpc) {
        Class<?> status = Handles.type(grpc, "io.grpc.Status");
        fromCodeValue = Handles.method(status, "fromCodeValue", int.class);
        withDescription = Handles.method(status, "withDescription", String.class);
        withCause = Handles.method(status, "withCause", Throwable.class);
        getCode = Handles.method(status, "getCode");
        value = Handles.method(Handles.type(grpc, "io.grpc.Status$Code"), "value");
    }

    /** Of a call that is not sent. */
    Object of(FencedException refusal) throws Throwable {
        Object status = fromCodeValue.invoke(codeOf(refusal.refusal().httpStatus()));
        return withCause.invoke(withDescription.invoke(status, refusal.getMessage()), refusal);
    }

    /** Of a call that is answered for the service. */
    Object of(int httpStatus, String description) throws Throwable {
        return withDescription.invoke(fromCodeValue.invoke(codeOf(httpStatus)), description);
    }

    /** Whether the service said no more than that it failed. */
    boolean isFailure(Object status) throws Throwable {
        int code = (int) value.invoke(getCode.invoke(status));
        return code == UNKNOWN || code == INTERNAL;
    }

    /** 0 is that of what is refused before it is sent. */
    static int codeOf(int httpStatus) {
        return switch (httpStatus) {
            case 400 -> INVALID_ARGUMENT;
            case 403 -> PERMISSION_DENIED;
            case 409 -> ABORTED;
            case 503 -> UNAVAILABLE;
            case 0, 412, 428 -> FAILED_PRECONDITION;
            default -> INTERNAL;
        };
    }
}
