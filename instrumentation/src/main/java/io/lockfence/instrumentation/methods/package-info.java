/**
 * Methods that rules name: locks that are taken, prolonged and given back by methods of the service's own. Where to weave comes from the rules; how a
 * call is read is compiled once, when the woven call is linked.
 */
package io.lockfence.instrumentation.methods;
