package dev.semel.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The files that people write: what is built, fetched or kept by tools is left out. */
record SourceTree(Path root, List<Text> files) {
    private static final Set<String> NOT_OURS =
            Set.of("target", ".git", ".semel", ".idea", ".vscode", ".settings", "node_modules");
    private static final Set<String> TEXTS = Set.of(
            "java", "xml", "md", "sql", "sh", "properties", "json", "yml", "yaml", "html", "css", "js", "config");
    private static final Set<String> NAMED = Set.of("semel", "run", "measures", "LICENSE", "NOTICE");

    /**
     * @param path from the root, with forward slashes
     */
    record Text(String path, List<String> lines) {
        boolean isJava() {
            return path.endsWith(".java");
        }

        boolean isMain() {
            return path.contains("/src/main/");
        }

        boolean isTest() {
            return path.contains("/src/test/");
        }

        /** The directory of the module that a Java file belongs to; empty where there is none. */
        String module() {
            int sources = path.indexOf("/src/");
            return sources < 0 ? "" : path.substring(0, sources);
        }

        boolean isPage() {
            return path.endsWith(".md");
        }

        String name() {
            return path.substring(path.lastIndexOf('/') + 1);
        }

        String folder() {
            return path.substring(0, Math.max(0, path.lastIndexOf('/')));
        }

        String content() {
            return String.join("\n", lines);
        }
    }

    /** The repository that holds the working directory: the outermost directory with a POM. */
    static SourceTree here() {
        Path root = Path.of("").toAbsolutePath();
        for (Path up = root; up != null && Files.exists(up.resolve("pom.xml")); up = up.getParent()) {
            root = up;
        }
        return read(root);
    }

    static SourceTree read(Path root) {
        List<Text> files = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    boolean ours = directory.equals(root)
                            || !NOT_OURS.contains(directory.getFileName().toString());
                    return ours ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    if (attributes.isRegularFile() && isText(file.getFileName().toString())) {
                        String path = root.relativize(file).toString().replace('\\', '/');
                        files.add(new Text(path, Files.readAllLines(file)));
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException("The sources below " + root + " cannot be read.", e);
        }
        files.sort(Comparator.comparing(Text::path));
        return new SourceTree(root, List.copyOf(files));
    }

    private static boolean isText(String name) {
        return NAMED.contains(name) || TEXTS.contains(name.substring(name.lastIndexOf('.') + 1));
    }

    Stream<Text> where(Predicate<Text> wanted) {
        return files.stream().filter(wanted);
    }

    Optional<Text> file(String path) {
        return where(file -> file.path().equals(path)).findFirst();
    }
}
