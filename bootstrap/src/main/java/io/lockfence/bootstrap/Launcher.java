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
    public static synchronized void launch(String className, File jar, Object[] arguments)
            throws IOException, ReflectiveOperationException {
        ClassLoader loader = new IsolatedLoader(new JarFile(jar, false));
        AdviceLinker.adviceLoader(loader);
        call(Class.forName(className, true, loader), "start", arguments);
    }

    /**
     * Hands a request of the command line to the agent of this JVM, which is made if there is none yet: its static {@code attach} method.
     *
     * @param className binary name
     * @param jar the agent jar
     * @param arguments of the method
     * @throws InvocationTargetException whatever the method throws
     */
    public static synchronized void attach(String className, File jar, Object[] arguments)
            throws IOException, ReflectiveOperationException {
        ClassLoader loader = AdviceLinker.adviceLoader();
        if (loader == null) {
            loader = new IsolatedLoader(new JarFile(jar, false));
            AdviceLinker.adviceLoader(loader);
        }
        call(Class.forName(className, true, loader), "attach", arguments);
    }

    private static void call(Class<?> type, String name, Object[] arguments) throws ReflectiveOperationException {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(name)) {
                method.invoke(null, arguments);
                return;
            }
        }
        throw new NoSuchMethodException(type.getName() + "." + name);
    }
}
