/** The token travels: services that call each other over HTTP, every client and every server. */
package io.lockfence.it.http;
