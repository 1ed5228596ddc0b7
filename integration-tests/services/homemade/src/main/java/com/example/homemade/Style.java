/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

/** One way of locking. */
record Style(Take take, Keep keep, Give give) {
    /** Tries to take a lock. */
    interface Take {
        boolean take(String name) throws Exception;
    }

    /** Asks for more time. */
    interface Keep {
        boolean keep(String name) throws Exception;
    }

    /** Gives a lock back. */
    interface Give {
        void give(String name) throws Exception;
    }
}
