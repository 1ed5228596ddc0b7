/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.methods;

/** One woven method, compiled for the class that declares it. Thread safe. Never throws what the service must not see. */
interface Site {
    /**
     * The method is called.
     *
     * @param self null for a static method
     * @return for {@link #exit}; may be null
     */
    Object enter(Object self, Object[] arguments);

    /**
     * The method returns or throws.
     *
     * @param call what {@link #enter} returned
     * @param returned boxed; null for void
     * @param thrown null if it returns
     * @return what the service gets instead, where the method returns a {@code CompletionStage}; null to leave it
     */
    Object exit(Object call, Object returned, Throwable thrown);
}
