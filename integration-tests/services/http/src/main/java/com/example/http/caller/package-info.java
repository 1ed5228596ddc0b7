/** The caller: reads a value of another service and puts it back with one more, under a lock. */
package com.example.http.caller;
