/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The rules file: which locks fence which targets, and how strictly. {@link io.lockfence.agent.config.RulesSource} finds it,
 * {@link io.lockfence.agent.config.RulesLoader} reads it, {@link io.lockfence.agent.config.Rules} is what the rest of the agent asks.
 *
 * <p>Runs in premain: {@code java.io.File} rather than {@code java.nio.file}, no logging; and no lambdas or streams where the file is good, since
 * the first of a JVM cost tens of milliseconds.
 */
package io.lockfence.agent.config;
