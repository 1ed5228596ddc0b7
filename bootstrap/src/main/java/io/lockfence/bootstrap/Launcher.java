/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.bootstrap;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.jar.JarFile;

/** Starts a class of the isolated loader. */
public final class Launcher {
    private Launcher() {}

    /**
     * Calls the static {@code start} method of a class that nobody but the isolated loader sees.
     *
     * @param className binary name
     * @param jar the agent jar
     * @param arguments of the method
     * @throws InvocationTargetException whatever the method throws
     */
    public static void launch(String className, File jar, Object[] arguments)
            throws IOException, ReflectiveOperationException {
        IsolatedLoader loader = new IsolatedLoader(new JarFile(jar, false));
        AdviceLinker.adviceLoader(loader);
        for (Method method : Class.forName(className, true, loader).getMethods()) {
            if (method.getName().equals("start")) {
                method.invoke(null, arguments);
                return;
            }
        }
        throw new NoSuchMethodException(className + ".start");
    }
}
