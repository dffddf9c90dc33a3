package dev.semel.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A user without root's rights, for whom owner and mode of a file count. For tests run by root it is {@code nobody},
 * otherwise the current user. Not thread-safe.
 */
public final class OrdinaryUser {
    private final Path scratch;
    private final @Nullable String account;
    private @Nullable String classPath;

    private OrdinaryUser(Path scratch, @Nullable String account) {
        this.scratch = scratch;
        this.account = account;
    }

    /**
     * @param scratch an empty directory for what this user must be able to read; the caller removes it
     * @throws IOException when root runs this and there is nobody else
     */
    public static OrdinaryUser in(Path scratch) throws IOException {
        return in(scratch, List.of("nobody"));
    }

    /** @param accounts whom to be when root runs this; the first that exists */
    static OrdinaryUser in(Path scratch, List<String> accounts) throws IOException {
        OrdinaryUser user = new OrdinaryUser(scratch, account(scratch, accounts));
        user.own(scratch);
        return user;
    }

    /** Its name. */
    public String name() {
        return account == null ? System.getProperty("user.name") : account;
    }

    /** Whether it is somebody else than the one who runs the tests. */
    public boolean isAnother() {
        return account != null;
    }

    /** Gives it a file or a directory, not what is in it. */
    public void own(Path path) throws IOException {
        if (account != null) {
            Files.setOwner(
                    path, path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(account));
        }
    }

    /**
     * Runs a main class of the class path in a JVM of this user, to its end.
     *
     * @return what it printed
     * @throws IOException also when it ends with another exit code than 0, with what it printed
     */
    public String run(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.io.tmpdir=" + scratch,
                "-cp",
                classPath(),
                main.getName()));
        command.addAll(List.of(arguments));
        return run(command);
    }

    /** Runs a program to its end. */
    String run(List<String> command) throws IOException {
        if (account == null) {
            return Commands.run(scratch, command);
        }
        String group = Commands.run(scratch, List.of("id", "-g", account)).strip();
        List<String> all = new ArrayList<>(List.of("setpriv", "--reuid", account, "--regid", group, "--clear-groups"));
        all.addAll(command);
        return Commands.run(scratch, all);
    }

    /** Another user may not be able to read where the build keeps its classes: it is given a copy. */
    private String classPath() throws IOException {
        String path = classPath;
        if (path == null) {
            path = account == null
                    ? System.getProperty("java.class.path")
                    : copied(System.getProperty("java.class.path"));
            classPath = path;
        }
        return path;
    }

    private String copied(String original) throws IOException {
        List<String> copies = new ArrayList<>();
        for (String entry : original.split(File.pathSeparator)) {
            Path from = Path.of(entry);
            if (Files.exists(from)) {
                Path to = scratch.resolve("classes-" + copies.size() + (Files.isDirectory(from) ? "" : ".jar"));
                copy(from, to);
                copies.add(to.toString());
            }
        }
        return String.join(File.pathSeparator, copies);
    }

    private void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                Files.copy(file, copy);
                own(copy);
            }
        }
    }

    private static @Nullable String account(Path scratch, List<String> accounts) throws IOException {
        if (!Files.getOwner(scratch).getName().equals("root")) {
            return null;
        }
        for (String name : accounts) {
            try {
                scratch.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name);
                return name;
            } catch (IOException e) {
                // the next one
            }
        }
        throw new IOException("Root runs this, and there is no user " + String.join(" or ", accounts)
                + ". Run the tests as another user.");
    }
}
