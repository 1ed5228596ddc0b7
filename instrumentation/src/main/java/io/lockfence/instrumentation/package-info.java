/* SPDX-License-Identifier: Apache-2.0 */
/** Where to weave, library by library, and what integrations share. Imports bootstrap, never agent. */
package io.lockfence.instrumentation;
