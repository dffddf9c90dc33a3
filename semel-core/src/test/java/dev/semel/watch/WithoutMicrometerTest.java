package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Micrometer is optional: Semel runs without it, and says what to add when it is asked for. */
class WithoutMicrometerTest {
    /** Everything that the tests have, but Micrometer. */
    private static URLClassLoader withoutMicrometer() {
        URL[] path = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("micrometer-"))
                .map(WithoutMicrometerTest::url)
                .toArray(URL[]::new);
        return new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(entry, e);
        }
    }

    private static String inside(Class<?> program) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = withoutMicrometer()) {
            thread.setContextClassLoader(loader);
            Object made =
                    loader.loadClass(program.getName()).getDeclaredConstructor().newInstance();
            return (String) ((Callable<?>) made).call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Runs where there is no Micrometer. */
    public static final class Calling implements Callable<String> {
        @Override
        public String call() {
            try {
                Class.forName("io.micrometer.core.instrument.MeterRegistry");
                return "Micrometer is there";
            } catch (ClassNotFoundException expected) {
                try (Semel semel = Semel.open("memory:")) {
                    return semel.run(
                                    Operation.atomic("charge", String.class, String.class),
                                    Call.of(Tenant.of("acme"), Key.of("k"), "payload"),
                                    (payload, tx) -> "done")
                            .orThrow();
                }
            }
        }
    }

    /** As above, and asks for metrics. */
    public static final class Asking implements Callable<String> {
        @Override
        public String call() {
            try {
                Semel.settings("memory:").withMetrics().open().close();
                return "opened";
            } catch (SemelException.Misconfigured e) {
                return e.getMessage();
            }
        }
    }

    @Test
    void semelRunsWithoutIt() throws Exception {
        assertThat(inside(Calling.class)).isEqualTo("done");
    }

    @Test
    void metricsWithoutMicrometerNameTheDependencyToAdd() throws Exception {
        assertThat(inside(Asking.class))
                .contains("Micrometer is not on the class path")
                .contains("<artifactId>micrometer-core</artifactId>")
                .contains("<version>" + builtAgainst() + "</version>");
    }

    @Test
    void metricsGoToTheGlobalRegistry() throws Exception {
        assertThat(new Asking().call()).isEqualTo("opened");
    }

    private static String builtAgainst() throws IOException {
        String pom = Files.readString(Path.of("..", "pom.xml"));
        int start = pom.indexOf("<micrometer.version>") + "<micrometer.version>".length();
        return pom.substring(start, pom.indexOf("</micrometer.version>"));
    }
}
