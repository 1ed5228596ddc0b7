/* SPDX-License-Identifier: Apache-2.0 */
package io.lockfence.agent;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.conditions.ArchConditions.have;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Who may know whom: docs/architecture.md. */
class ArchitectureTest {
    private static final String BOOTSTRAP = "io.lockfence.bootstrap..";
    private static final String INSTRUMENTATION = "io.lockfence.instrumentation..";
    private static final String AGENT = "io.lockfence.agent..";

    private static JavaClasses ours;

    @BeforeAll
    static void read() {
        ours = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.lockfence");
    }

    @Test
    void allThreeModulesAreLookedAt() {
        for (String name : new String[] {
            "io.lockfence.bootstrap.Seams", "io.lockfence.instrumentation.Point", "io.lockfence.agent.Agent"
        }) {
            assertThat(ours.contain(name)).as(name).isTrue();
        }
        assertThat(ours.stream().filter(ArchitectureTest::isAdvice)).hasSizeGreaterThan(3);
    }

    @Test
    void bootstrapKnowsTheBaseModuleAlone() {
        classes()
                .that()
                .resideInAPackage(BOOTSTRAP)
                .should()
                .onlyDependOnClassesThat(
                        resideInAPackage(BOOTSTRAP).or(inTheBaseModule()).or(theJvmsAgentInterface()))
                .because("boot classes cannot see java.sql or java.net.http, which are in the platform loader")
                .check(ours);
    }

    @Test
    void whatServicesMayUseKnowsBootstrapAloneAndIsNotNeededByIt() {
        classes()
                .that()
                .resideInAPackage("io.lockfence.api..")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("io.lockfence.api..", BOOTSTRAP).or(inTheBaseModule()))
                .check(ours);
        noClasses()
                .that()
                .resideOutsideOfPackage("io.lockfence.api..")
                .should()
                .dependOnClassesThat(resideInAPackage("io.lockfence.api.."))
                .check(ours);
    }

    @Test
    void onlyTheEntryOfTheJarKnowsTheJvmsAgentInterface() {
        noClasses()
                .that()
                .resideInAPackage(BOOTSTRAP)
                .and()
                .doNotHaveFullyQualifiedName("io.lockfence.bootstrap.LockfenceAgent")
                .should()
                .dependOnClassesThat(theJvmsAgentInterface())
                .check(ours);
    }

    @Test
    void instrumentationKnowsBootstrapWeakMapsAndTheAnnotationsOfAdvice() {
        classes()
                .that()
                .resideInAPackage(INSTRUMENTATION)
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                                BOOTSTRAP,
                                INSTRUMENTATION,
                                "java..",
                                "javax.sql..",
                                "javax.transaction.xa..",
                                "com.sun.net.httpserver..")
                        .or(nameMatching("net\\.bytebuddy\\.asm\\.Advice(\\$.*)?"))
                        .or(nameMatching("net\\.bytebuddy\\.implementation\\.bytecode\\.assign\\.Assigner\\$Typing")))
                .because(
                        "an integration translates a library's calls into the seams, and knows neither agent nor weaver")
                .check(ours);
    }

    @Test
    void integrationsDoNotKnowOneAnother() {
        ours.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith("io.lockfence.instrumentation."))
                .distinct()
                .forEach(integration -> noClasses()
                        .that()
                        .resideInAPackage(integration + "..")
                        .should()
                        .dependOnClassesThat(resideInAPackage("io.lockfence.instrumentation.*..")
                                .and(DescribedPredicate.not(resideInAPackage(integration + ".."))))
                        .check(ours));
    }

    @Test
    void adviceHasNoFields() {
        advice(DescribedPredicate.alwaysTrue())
                .should(have(new DescribedPredicate<JavaClass>("no fields") {
                    @Override
                    public boolean test(JavaClass advice) {
                        return advice.getFields().isEmpty();
                    }
                }))
                .check(ours);
    }

    @Test
    void adviceIsCalledAdvice() {
        advice(DescribedPredicate.alwaysTrue())
                .should(have(DescribedPredicate.describe(
                        "a name, or an outer class's, that ends in Advice",
                        advice -> outermost(advice).endsWith("Advice"))))
                .check(ours);
    }

    @Test
    void adviceIsPublicAndStatic() {
        advice(DescribedPredicate.alwaysTrue())
                .should()
                .bePublic()
                .andShould(new ArchCondition<>("have static methods only") {
                    @Override
                    public void check(JavaClass advice, ConditionEvents events) {
                        advice.getMethods().stream()
                                .filter(method -> !method.getModifiers().contains(JavaModifier.STATIC))
                                .forEach(method ->
                                        events.add(SimpleConditionEvent.violated(method, method.getFullName())));
                    }
                })
                .check(ours);
    }

    @Test
    void inlinedAdviceHasNoLambdasAndCallsBootstrapOnly() {
        advice(inlined())
                .should(new ArchCondition<>("have no lambdas") {
                    @Override
                    public void check(JavaClass advice, ConditionEvents events) {
                        advice.getMethods().stream()
                                .filter(method -> method.getModifiers().contains(JavaModifier.SYNTHETIC))
                                .forEach(method ->
                                        events.add(SimpleConditionEvent.violated(method, method.getFullName())));
                    }
                })
                .andShould()
                .onlyDependOnClassesThat(resideInAnyPackage(BOOTSTRAP, "java.lang..", "java.util..")
                        .or(nameMatching("net\\.bytebuddy\\..*"))
                        .or(isAdvicePredicate()))
                .because("its code is copied into the woven class, which sees no other class of ours")
                .check(ours);
    }

    @Test
    void theProtocolKnowsNoLibraryNoHttpClientAndNoWeaver() {
        noClasses()
                .that()
                .resideInAPackage("io.lockfence.agent.fence..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        INSTRUMENTATION,
                        "net.bytebuddy..",
                        "org.redisson..",
                        "java.net.http..",
                        "java.lang.instrument..")
                .check(ours);
    }

    @Test
    void rulesKnowNothingOfTheAgent() {
        onlyKnows("config");
    }

    @Test
    void whatIsSaidBetweenCommandLineAndAgentKnowsRulesOnly() {
        onlyKnows("attach", "config");
    }

    @Test
    void whatIsSaidBetweenServicesKnowsRulesOnly() {
        onlyKnows("http", "config");
    }

    @Test
    void reportsKnowRulesOnly() {
        onlyKnows("report", "config");
    }

    @Test
    void theProtocolKnowsRulesReportsAndWhatServicesSayToEachOtherOnly() {
        onlyKnows("fence", "config", "http", "report");
    }

    @Test
    void theCommandLineKnowsOfTheAgentItselfOnlyWhichMethodsRulesMean() {
        noClasses()
                .that()
                .resideInAPackage("io.lockfence.agent.cli..")
                .should()
                .dependOnClassesThat(resideInAPackage(AGENT)
                        .and(DescribedPredicate.not(resideInAnyPackage(
                                "io.lockfence.agent.attach..",
                                "io.lockfence.agent.cli..",
                                "io.lockfence.agent.config..",
                                "io.lockfence.agent.fence..",
                                "io.lockfence.agent.report..")))
                        .and(DescribedPredicate.not(
                                nameMatching("io\\.lockfence\\.agent\\.Method(Match(\\$.*)?|Points)"))))
                .because("check must say of a method rule what the weaver does with it")
                .check(ours);
    }

    @Test
    void theReadingOfClassFilesKnowsNothingOfLocks() {
        noClasses()
                .that()
                .resideInAPackage("io.lockfence.agent.cli.classes..")
                .should()
                .dependOnClassesThat(resideInAPackage("io.lockfence..")
                        .and(DescribedPredicate.not(resideInAPackage("io.lockfence.agent.cli.classes.."))))
                .check(ours);
    }

    @Test
    void theScanLoadsNothingOfTheServiceAndKnowsNoCommand() {
        noClasses()
                .that()
                .resideInAPackage("io.lockfence.agent.cli.scan..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.lockfence.agent.cli", "picocli..", "java.lang.reflect..", "java.net..", INSTRUMENTATION)
                .check(ours);
        noClasses()
                .that()
                .resideInAPackage("io.lockfence.agent.cli.*..")
                .should()
                .callMethod(Class.class, "forName", String.class)
                .check(ours);
    }

    @Test
    void whatRunsInPremainTouchesNeitherLoggingNorManagement() {
        noClasses()
                .that()
                .resideInAPackage(BOOTSTRAP)
                .or()
                .resideInAPackage("io.lockfence.agent")
                .or()
                .resideInAPackage("io.lockfence.agent.config..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.util.logging..", "java.lang.management..", "javax.management..", "jdk.jfr..")
                .because("the service's own logging and management set-up comes after premain")
                .check(ours);
    }

    @Test
    void nothingUsesUnsafeOrALoggingFramework() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("sun.misc..", "jdk.internal..", "org.slf4j..")
                .check(ours);
        // A DataSource must have a method that returns a java.util.logging.Logger: named there, never touched.
        noClasses()
                .should()
                .accessClassesThat()
                .resideInAPackage("java.util.logging..")
                .check(ours);
    }

    private static void onlyKnows(String part, String... others) {
        String[] known = new String[others.length + 1];
        known[0] = "io.lockfence.agent." + part + "..";
        for (int i = 0; i < others.length; i++) {
            known[i + 1] = "io.lockfence.agent." + others[i] + "..";
        }
        noClasses()
                .that()
                .resideInAPackage(known[0])
                .should()
                .dependOnClassesThat(resideInAPackage(AGENT).and(DescribedPredicate.not(resideInAnyPackage(known))))
                .check(ours);
    }

    private static GivenClassesConjunction advice(DescribedPredicate<? super JavaClass> which) {
        return classes().that(isAdvicePredicate()).and(which);
    }

    private static DescribedPredicate<JavaClass> isAdvicePredicate() {
        return DescribedPredicate.describe("are advice", ArchitectureTest::isAdvice);
    }

    private static String outermost(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type.getSimpleName());
    }

    private static boolean isAdvice(JavaClass type) {
        return hooks(type).findAny().isPresent();
    }

    private static DescribedPredicate<JavaClass> inlined() {
        return DescribedPredicate.describe(
                "are inlined",
                type -> hooks(type)
                        .anyMatch(
                                hook -> !Boolean.FALSE.equals(hook.get("inline").orElse(true))));
    }

    private static Stream<JavaAnnotation<JavaMethod>> hooks(JavaClass type) {
        return type.getMethods().stream()
                .flatMap(method -> method.getAnnotations().stream())
                .filter(annotation ->
                        annotation.getRawType().getName().startsWith("net.bytebuddy.asm.Advice$OnMethod"));
    }

    private static DescribedPredicate<JavaClass> inTheBaseModule() {
        return DescribedPredicate.describe("are in java.base", type -> {
            String name = type.getBaseComponentType().getName();
            try {
                return type.getBaseComponentType().isPrimitive()
                        || Class.forName(name, false, null).getModule().equals(Object.class.getModule());
            } catch (ClassNotFoundException e) {
                return false;
            }
        });
    }

    private static DescribedPredicate<JavaClass> theJvmsAgentInterface() {
        return resideInAPackage("java.lang.instrument");
    }
}
