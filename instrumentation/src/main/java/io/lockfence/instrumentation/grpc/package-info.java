/**
 * gRPC, 1.40 to 1.85, both sides and any transport: the leases go as metadata, and each callback of a call runs under those it came with.
 */
package io.lockfence.instrumentation.grpc;
