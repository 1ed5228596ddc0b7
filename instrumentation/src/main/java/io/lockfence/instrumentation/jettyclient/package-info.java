/** Jetty's client, 9.4 to 12.1, over any of its transports: a conversation, a request with its redirects, carries what the first was sent under. */
package io.lockfence.instrumentation.jettyclient;
