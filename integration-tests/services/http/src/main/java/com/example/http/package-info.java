/**
 * Services that call each other over HTTP and know nothing of Lockfence: a caller that takes locks, a receiver that keeps its data in a database.
 * {@code client} and {@code server} hold an adapter for each library, in a class loader of its own ({@link com.example.http.Adapters}), so that one JVM
 * runs all of them in all versions.
 */
package com.example.http;
