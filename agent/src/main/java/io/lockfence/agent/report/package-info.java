/* SPDX-License-Identifier: Apache-2.0 */
/** Seeing it: counters, log lines, refusal messages, Flight Recorder events, the JMX bean and the summary at the end. */
package io.lockfence.agent.report;
