/* SPDX-License-Identifier: Apache-2.0 */
/** Spring's executor that starts a thread for each task; its other ones use the JDK's. */
package io.lockfence.instrumentation.springtasks;
