/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.it.startup;

/** What the tests of this package share. */
final class Startup {
    private Startup() {}

    /** The class path of {@link Probe}: our test classes and nothing else. */
    static String testClasses() {
        return Probe.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    }
}
