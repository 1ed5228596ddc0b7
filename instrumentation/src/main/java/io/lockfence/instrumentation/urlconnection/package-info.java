/**
 * {@code HttpURLConnection} of the JDK, 17 to 25, over {@code http} and {@code https}. All of it runs on the service's thread; what a request is written from is a
 * {@code sun.net.www.MessageHeader}.
 */
package io.lockfence.instrumentation.urlconnection;
