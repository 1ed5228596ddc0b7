/** OkHttp 3.12 to 5: a call runs on one thread, the service's or the dispatcher's, down to where the request is written. */
package io.lockfence.instrumentation.okhttp;
