package dev.semel.jdbc.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.StoreContract;
import java.lang.annotation.Annotation;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/**
 * The store contract in a JVM whose locale has digits of its own. Statements are put together as classes are loaded, so it takes a
 * JVM of its own.
 */
@Timeout(300)
public abstract class ForeignDigitsContract {
    /** The parts of the contract with statements of their own. Races and locks repeat the same statements. */
    private static final List<String> SUITES = List.of(
            "Reserving",
            "Moving",
            "RenewingAndFinding",
            "Purging",
            "Auditing",
            "Switching",
            "Transacting",
            "Queueing",
            "Claiming",
            "MovingInLanes",
            "Pausing");

    @TempDir
    private Path directory;

    /** Runs the suites of a contract test, and tells what failed. A JUnit launcher is not among the libraries of a test run. */
    public static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            Locale.setDefault(Locale.forLanguageTag(arguments[0]));
            if (String.format("%d", 17).equals("17")) {
                throw new IllegalStateException(arguments[0] + " has no digits of its own on this JVM.");
            }
            Class<?> contract = Class.forName(arguments[1]);
            for (Field field : contract.getDeclaredFields()) {
                if (field.isAnnotationPresent(TempDir.class)) {
                    field.setAccessible(true);
                    field.set(null, Path.of(arguments[2]));
                }
            }
            int passed = 0;
            int failed = 0;
            for (String suite : SUITES) {
                Class<?> nested = Class.forName(StoreContract.class.getName() + "$" + suite);
                for (Method test : annotated(nested, Test.class)) {
                    Throwable thrown = run(contract, nested, test);
                    if (thrown == null) {
                        passed++;
                    } else if (!(thrown instanceof TestAbortedException)) {
                        failed++;
                        System.out.println(suite + "." + test.getName() + ": " + thrown);
                    }
                }
            }
            System.out.println(passed + " passed, " + failed + " failed");
            System.exit(failed == 0 && passed > 100 ? 0 : 1);
        }

        private static @Nullable Throwable run(Class<?> contract, Class<?> nested, Method test) throws Exception {
            Object outer = accessible(contract.getDeclaredConstructor()).newInstance();
            Object suite = accessible(nested.getDeclaredConstructor(StoreContract.class))
                    .newInstance(outer);
            try {
                for (Method before : annotated(nested, BeforeEach.class)) {
                    before.invoke(suite);
                }
                test.invoke(suite);
                return null;
            } catch (InvocationTargetException e) {
                return e.getCause();
            } finally {
                for (Method after : annotated(nested, AfterEach.class)) {
                    after.invoke(suite);
                }
            }
        }

        private static <T extends AccessibleObject> T accessible(T member) {
            member.setAccessible(true);
            return member;
        }

        /** Those of superclasses first. */
        private static List<Method> annotated(Class<?> type, Class<? extends Annotation> annotation) {
            List<Method> methods = new ArrayList<>();
            if (type.getSuperclass() != null) {
                methods.addAll(annotated(type.getSuperclass(), annotation));
            }
            for (Method method : type.getDeclaredMethods()) {
                if (method.isAnnotationPresent(annotation)) {
                    methods.add(accessible(method));
                }
            }
            return methods;
        }
    }

    private final String locale;
    private final Class<? extends StoreContract> contract;

    protected ForeignDigitsContract(String locale, Class<? extends StoreContract> contract) {
        this.locale = locale;
        this.contract = contract;
    }

    @Test
    void storeContractHoldsInALocaleWithItsOwnDigits() throws Exception {
        Path log = directory.resolve("log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        locale,
                        contract.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(240, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        assertThat(ended).as(Files.readString(log)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    }
}
