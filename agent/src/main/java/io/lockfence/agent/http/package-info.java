/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What travels between services: the fencing header (a structured field, RFC 9651), its signature, and the problem documents (RFC 9457) that
 * refused requests are answered with. Knows neither clients nor servers.
 */
package io.lockfence.agent.http;
