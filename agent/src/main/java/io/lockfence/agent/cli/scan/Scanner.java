/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent.cli.scan;

import io.lockfence.agent.cli.classes.ClassFiles;
import io.lockfence.agent.cli.classes.ClassIndex;
import io.lockfence.agent.cli.classes.ClassOutline;
import io.lockfence.agent.cli.classes.Origin;
import io.lockfence.agent.cli.scan.LockTable.LockLibrary;
import io.lockfence.agent.cli.scan.OwnLocks.OwnLock;
import io.lockfence.agent.cli.scan.ScanResult.DriverUse;
import io.lockfence.agent.cli.scan.ScanResult.Finding;
import io.lockfence.agent.cli.scan.ScanResult.LibraryUse;
import io.lockfence.agent.cli.scan.ScanResult.LockSite;
import io.lockfence.agent.config.JdbcUrl;
import io.lockfence.agent.config.Mode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.bytebuddy.jar.asm.ClassReader;

/**
 * Scans a service. First the outlines of all classes are read, then the code of the service's own classes, a class at a time and again as long as
 * that teaches something about methods that take or give back locks for their callers; kept are only the facts about methods that matter.
 */
public final class Scanner {
    /** A wrapper of a wrapper of a wrapper. */
    private static final int MOST_ROUNDS = 4;

    private static final Pattern URL = Pattern.compile("jdbc:[a-z0-9]+:[^\\s\"'#,]+");

    /** Libraries that a shaded jar may hold beside the service's own classes. */
    private static final List<String> LIBRARIES = List.of(
            "java.",
            "javax.",
            "jakarta.",
            "kotlin.",
            "scala.",
            "org.springframework.",
            "org.hibernate.",
            "org.apache.",
            "org.redisson.",
            "org.postgresql.",
            "org.slf4j.",
            "org.jboss.",
            "org.eclipse.",
            "io.netty.",
            "io.lettuce.",
            "io.etcd.",
            "io.grpc.",
            "io.micrometer.",
            "io.reactivex.",
            "reactor.",
            "redis.clients.",
            "net.javacrumbs.",
            "net.bytebuddy.",
            "com.hazelcast.",
            "com.fasterxml.",
            "com.google.",
            "com.zaxxer.",
            "com.mysql.",
            "org.mariadb.",
            "ch.qos.",
            "okhttp3.",
            "okio.");

    private static final Map<String, String> DRIVERS = drivers();

    private final List<Path> paths;
    private final List<String> ownPackages;
    private final Mode mode;

    /**
     * @param paths jars and directories of the service
     * @param ownPackages beginnings of names of classes that are the service's own, wherever they are; empty for those that lie directly in the paths
     * @param mode of the proposed rules
     */
    public Scanner(List<Path> paths, List<String> ownPackages, Mode mode) {
        this.paths = List.copyOf(paths);
        this.ownPackages = List.copyOf(ownPackages);
        this.mode = mode;
    }

    private static Map<String, String> drivers() {
        Map<String, String> drivers = new LinkedHashMap<>();
        drivers.put("org.postgresql.Driver", "postgresql");
        drivers.put("org.mariadb.jdbc.Driver", "mariadb");
        drivers.put("com.mysql.cj.jdbc.Driver", "mysql");
        drivers.put("oracle.jdbc.OracleDriver", "oracle");
        drivers.put("com.microsoft.sqlserver.jdbc.SQLServerDriver", "sqlserver");
        drivers.put("org.h2.Driver", "h2");
        drivers.put("org.hsqldb.jdbc.JDBCDriver", "hsqldb");
        drivers.put("org.apache.derby.jdbc.EmbeddedDriver", "derby");
        return drivers;
    }

    /**
     * Reads and judges.
     *
     * @throws IOException if a path is not there, or is no jar
     */
    public ScanResult scan() throws IOException {
        return scan(ClassIndex.read(paths));
    }

    /**
     * The same with an index of the paths that was read before.
     *
     * @throws IOException if a path is no longer there
     */
    public ScanResult scan(ClassIndex index) throws IOException {
        Set<String> own = own(index);
        Known known = new Known(index);
        OwnMethods service = new OwnMethods(index, own);
        Map<String, String> names = new HashMap<>();
        ClassScan.Findings found = new ClassScan.Findings();
        for (int round = 0; round < MOST_ROUNDS; round++) {
            found = new ClassScan.Findings();
            round(own, known, service, found, names);
            boolean changed = service.changed();
            // The second round knows what helpers return: a lock's name, for example.
            if (!changed && (!found.locks || round > 0)) {
                break;
            }
        }
        names.clear();
        CallGraph graph = new CallGraph(service, found.notices);
        Scopes scopes = new Scopes(known, service, new Origins(known, service, found.fields), graph);
        List<Scopes.Scope> locks = scopes.find();
        List<Finding> findings = Shapes.of(scopes, locks);
        List<OwnLock> ownLocks = OwnLocks.of(scopes);
        List<LockSite> sites = locks.stream()
                .map(Scopes.Scope::site)
                .map(site -> isOneOf(ownLocks, site) ? site.byMethods() : site)
                .toList();
        List<String> urls = urls(found.urls);
        List<DriverUse> databases = databases(index);
        List<String> notices = new ArrayList<>(index.notices());
        notices.addAll(found.notices);
        return new ScanResult(
                paths.stream().map(Path::toString).toList(),
                index.all().size(),
                own.size(),
                found.methods,
                libraries(index, known, sites),
                sites,
                scopes.writes(),
                findings,
                urls,
                databases,
                notices,
                Proposal.of(paths, sites, ownLocks, findings, urls, databases, mode));
    }

    private static boolean isOneOf(List<OwnLock> ownLocks, LockSite site) {
        return ownLocks.stream()
                .anyMatch(lock -> lock.place().equals(site.place())
                        || (site.wrapper() && lock.library().equals(site.library())));
    }

    /** Internal names. */
    private Set<String> own(ClassIndex index) {
        Set<String> own = new HashSet<>();
        Set<String> direct = new HashSet<>();
        for (ClassOutline type : index.all()) {
            String name = type.name().replace('.', '/');
            if (!ownPackages.isEmpty()) {
                if (ownPackages.stream().anyMatch(type.name()::startsWith)) {
                    own.add(name);
                }
            } else if (type.origin().own()) {
                direct.add(name);
                if (LIBRARIES.stream().noneMatch(type.name()::startsWith)) {
                    own.add(name);
                }
            }
        }
        // The jar is one of those libraries itself.
        return own.isEmpty() ? direct : own;
    }

    private void round(
            Set<String> own, Known known, OwnMethods service, ClassScan.Findings found, Map<String, String> names)
            throws IOException {
        Set<String> seen = new HashSet<>();
        ClassFiles.walk(paths, ownPackages.isEmpty(), new ClassFiles.Visitor() {
            @Override
            public void classFile(Origin origin, byte[] bytes) {
                String name = new ClassReader(bytes).getClassName();
                if (own.contains(name) && seen.add(name)) {
                    new ClassScan(known, service, found, names).read(bytes);
                }
            }

            @Override
            public void settings(Origin origin, String name, byte[] bytes) {
                Matcher matcher = URL.matcher(new String(bytes, StandardCharsets.UTF_8));
                while (matcher.find()) {
                    found.urls.add(matcher.group());
                }
            }
        });
    }

    private static List<String> urls(Set<String> found) {
        Set<String> urls = new TreeSet<>();
        for (String url : found) {
            if (URL.matcher(url).matches()) {
                urls.add(JdbcUrl.shown(url));
            }
        }
        return List.copyOf(urls);
    }

    private static List<DriverUse> databases(ClassIndex index) {
        List<DriverUse> found = new ArrayList<>();
        DRIVERS.forEach((driver, name) -> index.find(driver)
                .ifPresent(type -> found.add(new DriverUse(
                        name, name.equals("postgresql"), type.origin().version()))));
        return found;
    }

    private static List<LibraryUse> libraries(ClassIndex index, Known known, List<LockSite> sites) {
        Set<LibraryUse> uses = new LinkedHashSet<>();
        for (LockLibrary library : known.table().libraries()) {
            ClassOutline marker = index.find(library.marker()).orElse(null);
            int calls = (int) sites.stream()
                    .filter(site -> site.library().equals(library.name()))
                    .count();
            if (marker != null || calls > 0) {
                uses.add(new LibraryUse(
                        library.name(),
                        library.title(),
                        library.fenced(),
                        marker != null,
                        marker == null ? "" : marker.origin().version(),
                        calls));
            }
        }
        return List.copyOf(uses);
    }
}
