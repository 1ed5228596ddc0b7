/* SPDX-License-Identifier: Apache-2.0 */
package com.example.homemade;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;

/** What the service's code knows of locks; whose they are is a matter of its set-up. */
public interface LockClient {
    boolean acquire(String name, Duration lease) throws Exception;

    boolean extend(String name, Duration lease) throws Exception;

    void release(String name) throws Exception;

    /** As a framework would wrap it, for metrics or retries. */
    static LockClient proxied(LockClient client) {
        return (LockClient) Proxy.newProxyInstance(
                LockClient.class.getClassLoader(), new Class<?>[] {LockClient.class}, (proxy, method, args) -> {
                    try {
                        return method.invoke(client, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
