/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.instrumentation.jetty;

import java.nio.ByteBuffer;

/** What the service writes to a response that was replaced. */
final class Content {
    private Content() {}

    /** Takes the content as if it had been written. */
    static ByteBuffer nothing(ByteBuffer content) {
        if (content != null) {
            content.position(content.limit());
        }
        return ByteBuffer.allocate(0);
    }
}
