/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.classes;

import java.util.Objects;

/**
 * Where classes were found.
 *
 * @param path for people: {@code app.jar!BOOT-INF/lib/x.jar}, or a directory
 * @param version of the artifact, as its manifest, its Maven properties or its file name say; empty if none does
 * @param own whether these are the service's own classes: of a directory or jar that was named, or below {@code BOOT-INF/classes} or
 *     {@code WEB-INF/classes} of one; not of jars inside, nor of those that a manifest names
 */
public record Origin(String path, String version, boolean own) {
    public Origin {
        Objects.requireNonNull(path);
        Objects.requireNonNull(version);
    }
}
