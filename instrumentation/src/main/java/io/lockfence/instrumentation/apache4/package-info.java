/**
 * Apache HttpClient 4.5, and its asynchronous client 4.1. The classic client does everything on the service's thread, so the call that is under way is kept with
 * the thread; the asynchronous one has an object for each call.
 */
package io.lockfence.instrumentation.apache4;
