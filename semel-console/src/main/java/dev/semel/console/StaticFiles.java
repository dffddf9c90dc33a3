package dev.semel.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of the pages, read into memory at start. What is not among them then is never served, so no path of a request reaches the class
 * path. Immutable.
 */
final class StaticFiles {
    static final String INDEX = "index.html";
    private static final String DIRECTORY = "static/";
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("html", "text/html; charset=utf-8"),
            Map.entry("css", "text/css; charset=utf-8"),
            Map.entry("js", "text/javascript; charset=utf-8"),
            Map.entry("mjs", "text/javascript; charset=utf-8"),
            Map.entry("json", "application/json"),
            Map.entry("webmanifest", "application/manifest+json"),
            Map.entry("txt", "text/plain; charset=utf-8"),
            Map.entry("svg", "image/svg+xml"),
            Map.entry("png", "image/png"),
            Map.entry("ico", "image/x-icon"),
            Map.entry("woff2", "font/woff2"));

    private final Map<String, StaticFile> files;

    /**
     * One file.
     *
     * @param tag its ETag
     */
    record StaticFile(String type, String tag, byte[] bytes) {
        static StaticFile of(String type, byte[] bytes) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
                String tag = '"' + Base64.getUrlEncoder().withoutPadding().encodeToString(digest) + '"';
                return new StaticFile(type, tag, bytes);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("This Java runtime has no SHA-256.", e);
            }
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof StaticFile file && file.tag.equals(tag) && file.type.equals(type);
        }

        @Override
        public int hashCode() {
            return tag.hashCode();
        }

        @Override
        public String toString() {
            return "StaticFile[" + type + ", " + bytes.length + " bytes]";
        }
    }

    private StaticFiles(Map<String, StaticFile> files) {
        this.files = Map.copyOf(files);
    }

    /** @param index changes the text of the first page */
    static StaticFiles read(UnaryOperator<String> index) {
        Map<String, StaticFile> files = new HashMap<>();
        contents().forEach((name, bytes) -> {
            String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
            if (type != null) {
                byte[] served = name.equals(INDEX)
                        ? index.apply(new String(bytes, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8)
                        : bytes;
                files.put(name, StaticFile.of(type, served));
            }
        });
        return new StaticFiles(files);
    }

    /** Null when there is none of this name. */
    @Nullable
    StaticFile find(String name) {
        return files.get(name);
    }

    List<String> names() {
        return files.keySet().stream().sorted().toList();
    }

    /** Of all files, by their paths below the directory. */
    private static Map<String, byte[]> contents() {
        URL index = StaticFiles.class.getResource(DIRECTORY + INDEX);
        if (index == null) {
            throw new IllegalStateException("The pages of the console are not on the class path.");
        }
        try {
            URLConnection connection = index.openConnection();
            if (connection instanceof JarURLConnection jar) {
                connection.setUseCaches(false);
                try (JarFile file = jar.getJarFile()) {
                    String whole = jar.getEntryName();
                    return ofJar(file, whole.substring(0, whole.length() - INDEX.length()));
                }
            }
            if (index.getProtocol().equals("file")) {
                return ofDirectory(Path.of(index.toURI()).getParent());
            }
            throw new IllegalStateException("The pages of the console cannot be listed at " + index + ".");
        } catch (IOException e) {
            throw new UncheckedIOException("The pages of the console cannot be read at " + index + ".", e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("The pages of the console cannot be read at " + index + ".", e);
        }
    }

    private static Map<String, byte[]> ofJar(JarFile jar, String prefix) throws IOException {
        Map<String, byte[]> contents = new LinkedHashMap<>();
        for (var entry : (Iterable<java.util.jar.JarEntry>) jar.stream()::iterator) {
            if (!entry.isDirectory() && entry.getName().startsWith(prefix)) {
                try (InputStream in = jar.getInputStream(entry)) {
                    contents.put(entry.getName().substring(prefix.length()), in.readAllBytes());
                }
            }
        }
        return contents;
    }

    private static Map<String, byte[]> ofDirectory(Path directory) throws IOException {
        Map<String, byte[]> contents = new LinkedHashMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = directory.relativize(file).toString().replace('\\', '/');
                contents.put(name, Files.readAllBytes(file));
            }
        }
        return contents;
    }
}
