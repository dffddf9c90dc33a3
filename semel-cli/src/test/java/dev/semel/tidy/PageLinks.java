package dev.semel.tidy;

import dev.semel.tidy.SourceTree.Text;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Links of pages to other files of the repository, and to headings. Addresses elsewhere are not looked at. */
record PageLinks(SourceTree tree) {
    private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s]+)\\)");
    private static final String FENCE = "```";

    List<String> faults() {
        return tree.where(Text::isPage).flatMap(this::faults).toList();
    }

    private Stream<String> faults(Text page) {
        Stream.Builder<String> faults = Stream.builder();
        boolean code = false;
        for (int i = 0; i < page.lines().size(); i++) {
            String line = page.lines().get(i);
            code ^= line.strip().startsWith(FENCE);
            if (!code) {
                String at = page.path() + ":" + (i + 1);
                LINK.matcher(line)
                        .results()
                        .map(found -> found.group(1))
                        .filter(target -> !target.matches("[a-z]+:.*"))
                        .filter(target -> !leadsSomewhere(page, target))
                        .forEach(target -> faults.add(at + " links to " + target + ", which does not exist"));
            }
        }
        return faults.build();
    }

    private boolean leadsSomewhere(Text page, String target) {
        int hash = target.indexOf('#');
        String file = hash < 0 ? target : target.substring(0, hash);
        String path = file.isEmpty()
                ? page.path()
                : Path.of(page.folder()).resolve(file).normalize().toString().replace('\\', '/');
        if (!Files.exists(tree.root().resolve(path))) {
            return false;
        }
        return hash < 0
                || tree.file(path).stream()
                        .flatMap(other -> other.lines().stream())
                        .anyMatch(line -> line.startsWith("#") && anchor(line).equals(target.substring(hash + 1)));
    }

    /** As GitHub makes it of a heading. */
    private static String anchor(String heading) {
        return heading.replaceFirst("^#+\\s+", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }
}
