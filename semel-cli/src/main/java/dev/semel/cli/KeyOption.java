package dev.semel.cli;

import dev.semel.Key;
import dev.semel.SemelException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The key, as an option or from a file, which keeps it out of the shell history. */
final class KeyOption {
    /** More than the longest key, so that a message can state the length of a longer one. */
    private static final int LARGEST_FILE = 1 << 20;

    @Option(names = "--key", paramLabel = "KEY", description = "The key.")
    private @Nullable String text;

    @Option(
            names = "--key-file",
            paramLabel = "FILE",
            description = {
                "A file with the key, or - for standard input. Keeps the key out of the shell history.",
                "A final line break is not part of the key."
            })
    private @Nullable String file;

    Key read(InputStream standardInput) {
        return Key.of(text != null ? text : content(file == null ? "-" : file, standardInput));
    }

    private static String content(String file, InputStream standardInput) {
        String from = file.equals("-") ? "Standard input" : "The key file " + file;
        try (InputStream in = file.equals("-") ? standardInput : Files.newInputStream(Path.of(file))) {
            byte[] bytes = in.readNBytes(LARGEST_FILE);
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.replaceFirst("\r?\n\\z", "");
        } catch (CharacterCodingException e) {
            throw new SemelException.Invalid(from + " is not UTF-8 text. Save the key as UTF-8.", e);
        } catch (IOException | InvalidPathException e) {
            throw new SemelException.Invalid("Reading failed: " + from + " (" + e + "). Use a readable file.", e);
        }
    }
}
