/**
 * Reactor Netty, 1.0 to 1.3, and so Spring's WebClient and WebFlux: requests go out under the leases of the thread that subscribes, come in under those of
 * their caller, and what follows runs under them on whatever thread.
 */
package io.lockfence.instrumentation.reactornetty;
