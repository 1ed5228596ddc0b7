/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** Links the calls that are woven into methods which rules name. Implemented in the isolated loader; thread safe. */
public interface MethodLinker {
    /**
     * The target of one call.
     *
     * @param woven the rights of the class that was woven
     * @param name {@code enter} or {@code exit}
     * @param point which entry of the rules
     * @param method name and descriptor of the woven method
     * @return of the type that the call has
     */
    MethodHandle link(MethodHandles.Lookup woven, String name, String point, String method);
}
