package dev.semel.jdbc.fault;

import dev.semel.testkit.Scratch;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * Starts small JVMs quickly, so that hundreds can be killed in a minute: their classes come from a class data archive, for
 * which directories of the class path are made into jars, and SQLite's library is unpacked once. Removed when this JVM ends.
 */
final class Jvms {
    private static final List<String> SMALL = List.of(
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            // most of them die young: compiling what they call a few hundred times costs more than it saves
            "-XX:CompileThresholdScaling=3",
            "-XX:-UsePerfData",
            "-Xshare:auto",
            "-XX:+IgnoreUnrecognizedVMOptions",
            "--enable-native-access=ALL-UNNAMED");

    private final Path directory;
    private final String classPath;
    private final Map<String, Path> archives = new ConcurrentHashMap<>();
    private final AtomicInteger trainings = new AtomicInteger();

    private Jvms() throws IOException {
        directory = Scratch.directory("jvms");
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(":")) {
            Path path = Path.of(entry);
            if (Files.isDirectory(path)) {
                entries.add(jar(path, directory.resolve(entries.size() + ".jar")));
            } else if (Files.exists(path)) {
                entries.add(entry);
            }
        }
        classPath = String.join(":", entries);
        unpackLibrary();
    }

    static Jvms shared() {
        return Shared.INSTANCE;
    }

    /** Starts a main class. */
    Process start(Class<?> main, Path log, List<String> arguments) throws IOException {
        return start(List.of(), main, log, List.of(), arguments);
    }

    /** The same under another program, such as a tracer. */
    Process startUnder(List<String> program, Class<?> main, Path log, List<String> arguments) throws IOException {
        return start(program, main, log, List.of(), arguments);
    }

    /** The same with everything that an earlier run like {@code training} loaded in an archive. */
    Process startTrained(String kind, Class<?> main, Path log, List<String> arguments) throws IOException {
        return startTrained(kind, List.of(), main, log, arguments);
    }

    Process startTrained(String kind, List<String> options, Class<?> main, Path log, List<String> arguments)
            throws IOException {
        Path archive = archives.get(kind);
        List<String> all = new ArrayList<>(options);
        if (archive != null) {
            all.add("-XX:SharedArchiveFile=" + archive);
        }
        return start(List.of(), main, log, all, arguments);
    }

    /** Runs a main class to its end and keeps the classes that it loaded in an archive for runs of that kind. */
    void train(String kind, Class<?> main, Path log, List<String> arguments) throws IOException, InterruptedException {
        Path archive = directory.resolve("classes-" + trainings.incrementAndGet() + ".jsa");
        Process process = start(List.of(), main, log, List.of("-XX:ArchiveClassesAtExit=" + archive), arguments);
        await(process, log);
        if (Files.exists(archive)) {
            archives.put(kind, archive);
        }
    }

    boolean trained(String kind) {
        return archives.containsKey(kind);
    }

    /** Waits for a process that should end well. */
    static void await(Process process, Path log) throws IOException, InterruptedException {
        try {
            if (!process.waitFor(120, TimeUnit.SECONDS)) {
                throw new AssertionError("A process did not end within 120 s: " + Files.readString(log));
            }
            if (process.exitValue() != 0) {
                throw new AssertionError("A process ended with " + process.exitValue() + ": " + Files.readString(log));
            }
        } finally {
            process.destroyForcibly();
        }
    }

    private Process start(List<String> program, Class<?> main, Path log, List<String> options, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>(program);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SMALL);
        command.addAll(options);
        command.add("-Dorg.sqlite.lib.path=" + directory);
        command.add("-Dorg.sqlite.lib.name=" + LibraryLoaderUtil.getNativeLibName());
        command.add("-cp");
        command.add(classPath);
        command.add(main.getName());
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectError(log.toFile()).start();
    }

    private static String jar(Path directory, Path jar) throws IOException {
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out);
                Stream<Path> files = Files.walk(directory)) {
            entries.setLevel(0);
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                entries.putNextEntry(new ZipEntry(directory.relativize(file).toString()));
                Files.copy(file, entries);
            }
        }
        return jar.toString();
    }

    private void unpackLibrary() throws IOException {
        String name = LibraryLoaderUtil.getNativeLibName();
        String resource = LibraryLoaderUtil.getNativeLibResourcePath() + "/" + name;
        try (InputStream in = LibraryLoaderUtil.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException("sqlite-jdbc has no " + resource);
            }
            Files.copy(in, directory.resolve(name));
        }
    }

    private static final class Shared {
        static final Jvms INSTANCE = make();

        private static Jvms make() {
            try {
                return new Jvms();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
