/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.config;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Where the rules come from: the agent's argument {@code config=PATH}, else the system property {@code lockfence.config}, else the
 * environment variable {@code LOCKFENCE_CONFIG}, else {@code lockfence.yaml} in the working directory, else nowhere.
 *
 * @param file the rules file; null if there is none
 * @param origin who named it, for people
 */
public record RulesSource(File file, String origin) {
    private static final String ARGUMENT = "config";
    private static final String PROPERTY = "lockfence.config";
    private static final String VARIABLE = "LOCKFENCE_CONFIG";
    private static final String DEFAULT = "lockfence.yaml";

    /**
     * Looks where the file is. A file that is named and does not exist is found all the same, and {@link #load} says so.
     *
     * @param agentArguments what follows {@code =} in {@code -javaagent:lockfence.jar=}; may be null
     * @param system the system properties
     * @param environment the environment variables
     * @param directory the working directory
     * @throws RulesException if an argument is not understood
     */
    public static RulesSource find(
            String agentArguments, Properties system, Map<String, String> environment, File directory)
            throws RulesException {
        String argument = argument(agentArguments);
        if (argument != null) {
            return named(argument, "agent argument " + ARGUMENT, directory);
        }
        String property = system.getProperty(PROPERTY);
        if (property != null) {
            if (property.isBlank()) {
                throw new RulesException(
                        "-D" + PROPERTY,
                        List.of(Problem.of("it is empty", "expected the path of the rules file")),
                        false);
            }
            return named(property, "system property " + PROPERTY, directory);
        }
        String variable = environment.get(VARIABLE);
        if (variable != null && !variable.isBlank()) {
            return named(variable, "environment variable " + VARIABLE, directory);
        }
        File inDirectory = new File(directory, DEFAULT);
        return inDirectory.exists()
                ? new RulesSource(inDirectory, "working directory")
                : new RulesSource(null, "no rules file");
    }

    private static RulesSource named(String path, String origin, File directory) {
        File file = new File(path);
        return new RulesSource(file.isAbsolute() ? file : new File(directory, path), origin);
    }

    /** The path of the argument {@code config}; null if it is not there. */
    private static String argument(String agentArguments) throws RulesException {
        if (agentArguments == null || agentArguments.isBlank()) {
            return null;
        }
        List<Problem> problems = new ArrayList<>();
        String path = null;
        for (String argument : agentArguments.split(",", -1)) {
            int equals = argument.indexOf('=');
            String key = (equals < 0 ? argument : argument.substring(0, equals)).strip();
            String value = equals < 0 ? "" : argument.substring(equals + 1).strip();
            if (!key.equals(ARGUMENT)) {
                boolean isPath = equals < 0 && (key.endsWith(".yaml") || key.endsWith(".yml"));
                problems.add(new Problem(
                        0,
                        0,
                        "unknown agent argument '" + Problem.shown(key) + "'",
                        "expected config=PATH; a path with a comma goes into -D" + PROPERTY,
                        isPath ? ARGUMENT + "=" + key : Nearest.to(key, List.of(ARGUMENT))));
            } else if (value.isEmpty()) {
                problems.add(Problem.of("agent argument 'config' has no value", "expected config=PATH"));
            } else if (path != null) {
                problems.add(Problem.of("agent argument 'config' stands twice", "remove one"));
            } else {
                path = value;
            }
        }
        if (!problems.isEmpty()) {
            throw new RulesException("-javaagent", problems, false);
        }
        return path;
    }

    /**
     * The rules of the file; those of {@link Rules#observeEverything} if there is none. Whether the keys are there that they name is left open.
     *
     * @throws RulesException with all problems of the file; also if it cannot be read
     */
    public Rules load() throws RulesException {
        return load(null);
    }

    /**
     * The rules of the file; those of {@link Rules#observeEverything} if there is none.
     *
     * @param environment the environment variables, where the keys must be that the rules name
     * @throws RulesException with all problems of the file; also if it cannot be read
     */
    public Rules load(Map<String, String> environment) throws RulesException {
        return file == null ? Rules.observeEverything() : RulesLoader.load(file, environment);
    }
}
