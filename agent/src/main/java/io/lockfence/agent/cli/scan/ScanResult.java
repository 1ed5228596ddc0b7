/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import java.util.List;

/**
 * What a scan found. Immutable.
 *
 * @param paths what was read
 * @param classes how many there were
 * @param ownClasses how many of them were the service's own
 * @param ownMethods how many methods those have
 * @param libraries lock libraries that are among the jars or are called
 * @param locks where locks are taken
 * @param writes where something is written outside the process
 * @param findings what looks wrong
 * @param urls JDBC URLs that stand in the code and the settings, without credentials
 * @param databases drivers among the jars
 * @param notices what could not be read or followed
 * @param rules the text of a rules file
 */
public record ScanResult(
        List<String> paths,
        int classes,
        int ownClasses,
        int ownMethods,
        List<LibraryUse> libraries,
        List<LockSite> locks,
        List<WriteSite> writes,
        List<Finding> findings,
        List<String> urls,
        List<DriverUse> databases,
        List<String> notices,
        String rules) {
    public ScanResult {
        paths = List.copyOf(paths);
        libraries = List.copyOf(libraries);
        locks = List.copyOf(locks);
        writes = List.copyOf(writes);
        findings = List.copyOf(findings);
        urls = List.copyOf(urls);
        databases = List.copyOf(databases);
        notices = List.copyOf(notices);
    }

    /**
     * A lock library of the service.
     *
     * @param version empty if it is not known
     * @param sites how many calls take its locks
     */
    public record LibraryUse(String name, String title, boolean fenced, boolean present, String version, int sites) {}

    /** A JDBC driver among the jars. */
    public record DriverUse(String name, boolean fenced, String version) {}

    /** Whether rules of this version fence a lock. */
    public enum Status {
        FENCED,
        /** By a rule that names methods of the service. */
        BY_METHODS,
        /** The library is fenced, this kind of its locks is not. */
        KIND_NOT_FENCED,
        /** The library is known, and not fenced. */
        NOT_YET,
        /** May be something else than a lock, such as a cache. */
        MAYBE
    }

    /**
     * Where a lock is taken.
     *
     * @param id counts from 1
     * @param library as rules would name it
     * @param call that takes it
     * @param wrapper whether the call is to a method of the service that takes the lock for its caller
     * @param key pattern of its names; {@code *} where they are known at run time only
     * @param status whether it is fenced
     * @param leaseMillis 0 where it is renewed by the library, or known at run time only
     * @param within what is written while it is held
     * @param releasedElsewhere whether no release stands in the method that takes it
     */
    public record LockSite(
            int id,
            Place place,
            String library,
            String title,
            String call,
            boolean wrapper,
            String key,
            Status status,
            long leaseMillis,
            List<WriteUse> within,
            boolean releasedElsewhere) {
        /** Whether this version can fence it. */
        public boolean canBeFenced() {
            return status == Status.FENCED || status == Status.BY_METHODS;
        }

        private LockSite with(Status other) {
            return new LockSite(
                    id, place, library, title, call, wrapper, key, other, leaseMillis, within, releasedElsewhere);
        }

        /** The same, where a rule can name the methods of the service that take it. */
        LockSite byMethods() {
            return status == Status.MAYBE || status == Status.NOT_YET ? with(Status.BY_METHODS) : this;
        }

        /** The call, for people. */
        public String how() {
            return (wrapper ? "through " : "") + call;
        }

        /** A name that the lock may have; empty where that is known at run time only. */
        public String exampleName() {
            return key.equals("*")
                    ? ""
                    : key.replaceAll("(?<!\\{)\\{[a-z0-9]+}", "1")
                            .replace("{{", "{")
                            .replace("}}", "}");
        }
    }

    /**
     * A write under a lock.
     *
     * @param write what is written
     * @param path methods from the one that takes the lock to the one that writes
     * @param task whether another thread may do it
     */
    public record WriteUse(WriteSite write, List<String> path, boolean task) {}

    /**
     * Where something is written outside the process.
     *
     * @param detail a statement's text, a request's method; may be empty
     */
    public record WriteSite(Place place, Kind kind, Access access, String title, String call, String detail) {}

    /** Something that looks wrong. */
    public record Finding(Shape shape, Place place, String what, String why) {}
}
