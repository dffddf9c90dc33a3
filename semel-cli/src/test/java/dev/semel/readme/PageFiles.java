package dev.semel.readme;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The whole files that a page of the repository shows, each below a mark {@code <!-- file: NAME -->}. */
record PageFiles(Path page, List<String> lines) {
    private static final String FENCE = "```";

    static PageFiles of(String page) throws IOException {
        Path path = repository().resolve(page);
        return new PageFiles(path, Files.readAllLines(path));
    }

    /** The outermost directory with a POM. */
    static Path repository() {
        Path root = Path.of("").toAbsolutePath();
        for (Path up = root; up != null && Files.exists(up.resolve("pom.xml")); up = up.getParent()) {
            root = up;
        }
        return root;
    }

    /** The text of a file, as a reader would copy it. */
    String file(String name) {
        Pattern mark = Pattern.compile("<!-- file: " + Pattern.quote(name) + "(, run by \\S+)? -->");
        for (int i = 0; i + 1 < lines.size(); i++) {
            if (mark.matcher(lines.get(i)).matches() && lines.get(i + 1).startsWith(FENCE)) {
                int from = i + 2;
                int to = from;
                while (!lines.get(to).equals(FENCE)) {
                    to++;
                }
                return String.join("\n", lines.subList(from, to)) + "\n";
            }
        }
        throw new AssertionError(page + " shows no file " + name);
    }

    /** Whether the page has this line. */
    boolean shows(String line) {
        return lines.contains(line);
    }
}
