/** A class for each server library and style. Each has a constructor without parameters, and uses its library and the JDK only. */
package com.example.http.server;
