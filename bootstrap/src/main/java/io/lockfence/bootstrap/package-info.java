/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The vocabulary that woven code speaks. These classes are on the boot path and see {@code java.base} alone: {@code java.sql} and
 * {@code java.net.http} are in the platform loader, where boot classes cannot look.
 */
package io.lockfence.bootstrap;
