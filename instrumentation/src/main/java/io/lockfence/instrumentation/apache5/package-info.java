/**
 * Apache HttpClient 5, classic and asynchronous, HTTP/1.1 and HTTP/2. The classic client does everything on the service's thread, so the call that is under way
 * is kept with the thread; the asynchronous one has an object for each call, and one for each attempt.
 */
package io.lockfence.instrumentation.apache5;
