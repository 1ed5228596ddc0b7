/* SPDX-License-Identifier: Apache-2.0 */
/** {@code java -jar lockfence.jar}: one class a command. Exit 0 fine, 1 findings, 2 usage; results to stdout, errors to stderr. */
package io.lockfence.agent.cli;
