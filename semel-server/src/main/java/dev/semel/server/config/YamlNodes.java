package dev.semel.server.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionEndEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Reads the bytes of a YAML file into nodes that know their lines. What the file may contain is bounded before anything is built of it:
 * size, nesting, values, aliases. Tags are refused, so no file can name a class. Messages repeat nothing of the file, which may have a
 * secret at the wrong place.
 */
final class YamlNodes {
    static final int LARGEST_FILE = 512 << 10;
    static final int DEEPEST = 16;
    static final int MOST_VALUES = 50_000;
    static final int MOST_ALIASES = 50;

    private final FindingList findings;

    YamlNodes(FindingList findings) {
        this.findings = findings;
    }

    /** Empty when it cannot be read, which is reported. */
    Optional<Node> read(Path file) {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(LARGEST_FILE + 1);
        } catch (IOException failed) {
            String why = Files.isDirectory(file)
                    ? "it is a directory"
                    : Files.exists(file)
                            ? "reading failed: " + failed.getClass().getSimpleName()
                            : "there is no such file";
            findings.fault(1, 1, "the configuration cannot be read (" + why + "); semel init writes a new one");
            return Optional.empty();
        }
        if (bytes.length > LARGEST_FILE) {
            findings.fault(1, 1, "the file is larger than 512 KiB");
            return Optional.empty();
        }
        return decoded(bytes).filter(this::isPrintable).flatMap(this::parsed);
    }

    private Optional<String> decoded(byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length + 1);
        CoderResult result = decoder.decode(in, out, true);
        String text = out.flip().toString();
        if (result.isError()) {
            faultAfter(text, "the file is not UTF-8 here: save it as UTF-8");
            return Optional.empty();
        }
        return Optional.of(text.startsWith("\ufeff") ? text.substring(1) : text);
    }

    private boolean isPrintable(String text) {
        for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
            int point = text.codePointAt(i);
            if (!StreamReader.isPrintable(point)
                    || point == 0xfeff
                    || Character.isSurrogate((char) point) && point <= 0xffff) {
                faultAfter(text.substring(0, i), "a control character is not allowed in YAML: remove it");
                return false;
            }
        }
        return true;
    }

    private void faultAfter(String before, String message) {
        int line = 1 + (int) before.chars().filter(each -> each == '\n').count();
        String last = before.substring(before.lastIndexOf('\n') + 1);
        findings.fault(line, 1 + last.codePointCount(0, last.length()), message);
    }

    private Optional<Node> parsed(String text) {
        try {
            if (!isBounded(text)) {
                return Optional.empty();
            }
            Node root = yaml().compose(new StringReader(text));
            if (root == null) {
                findings.fault(1, 1, "the file is empty; semel init writes one to start from");
            }
            return Optional.ofNullable(root);
        } catch (MarkedYAMLException wrong) {
            Mark at = wrong.getProblemMark() != null ? wrong.getProblemMark() : wrong.getContextMark();
            findings.fault(
                    at == null ? 1 : at.getLine() + 1,
                    at == null ? 1 : at.getColumn() + 1,
                    "this is not YAML: " + safe(wrong.getProblem()) + (at == null ? "" : hint(text, at)));
        } catch (YAMLException wrong) {
            findings.fault(1, 1, "this is not YAML: " + safe(wrong.getMessage()));
        }
        return Optional.empty();
    }

    private static Yaml yaml() {
        LoaderOptions options = new LoaderOptions();
        options.setMaxAliasesForCollections(MOST_ALIASES);
        options.setNestingDepthLimit(DEEPEST);
        options.setCodePointLimit(LARGEST_FILE);
        options.setAllowRecursiveKeys(false);
        return new Yaml(options);
    }

    /** One pass over the events, which are made one by one: nothing is kept of them. */
    private boolean isBounded(String text) {
        int depth = 0;
        int values = 0;
        int aliases = 0;
        int documents = 0;
        for (Event event : yaml().parse(new StringReader(text))) {
            String problem = "";
            if (event instanceof CollectionStartEvent start) {
                depth++;
                values++;
                problem = start.getTag() != null ? tags() : depth > DEEPEST ? "more than 16 levels of nesting" : "";
            } else if (event instanceof CollectionEndEvent) {
                depth--;
            } else if (event instanceof ScalarEvent scalar) {
                values++;
                problem = scalar.getTag() != null ? tags() : "";
            } else if (event instanceof AliasEvent) {
                problem = ++aliases > MOST_ALIASES ? "more than 50 aliases" : "";
            } else if (event.is(Event.ID.DocumentStart)) {
                problem = ++documents > 1 ? "a second document begins: write one file with one document" : "";
            }
            if (values > MOST_VALUES) {
                problem = "more than 50000 values";
            }
            if (!problem.isEmpty()) {
                findings.fault(event.getStartMark(), "the file is rejected: " + problem);
                return false;
            }
        }
        return true;
    }

    private static String hint(String text, Mark at) {
        int index = text.offsetByCodePoints(0, Math.min(at.getIndex(), text.codePointCount(0, text.length())));
        return index > 0 && text.startsWith("${", index - 1)
                ? "; put a reference inside of [] or {} into double quotes, as \"${env:NAME}\""
                : "";
    }

    private static String tags() {
        return "tags, such as !name, are not allowed; quote a value that begins with an exclamation mark";
    }

    /** The parser's words without what they repeat of the file. */
    private static String safe(String problem) {
        if (problem == null) {
            return "syntax error";
        }
        return problem.replaceFirst("(?s),? ?but (found|got).*", "")
                .replaceFirst(
                        "(?s)(undefined alias|tag handle|number which cannot represent a valid version|in UTF-8).*",
                        "$1")
                .replaceFirst("(?s)found unknown escape character.*", "found an unknown escape character")
                .replaceFirst("(?s)unexpected character found.*", "unexpected character")
                .replaceFirst("(?s)not allowed: .*", "not allowed")
                .replaceAll("[\\p{Cntrl}\\s]+", " ");
    }
}
