/* SPDX-License-Identifier: Apache-2.0 */
package org.postgresql.core.v3;

import org.postgresql.copy.CopyOperation;

/** Of the stub driver: named in descriptors. */
public interface CopyOperationImpl extends CopyOperation {}
