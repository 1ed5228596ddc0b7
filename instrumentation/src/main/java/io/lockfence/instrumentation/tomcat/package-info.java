/* SPDX-License-Identifier: Apache-2.0 */
/** Units of work in Tomcat, stand-alone and embedded, 9 to 11: each request is one, whatever thread it comes on. */
package io.lockfence.instrumentation.tomcat;
