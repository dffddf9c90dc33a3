package dev.semel.server.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where the values are to which a configuration file refers: environment variables ({@code ${env:NAME}}) and files
 * ({@code ${file:/path}}). Has no {@code toString} that shows them.
 */
public final class Secrets {
    static final int LARGEST_FILE = 64 << 10;

    private final Function<String, @Nullable String> variables;

    private Secrets(Function<String, @Nullable String> variables) {
        this.variables = variables;
    }

    /** The variables of this process, and the files that it can read. */
    public static Secrets ofProcess() {
        return new Secrets(System::getenv);
    }

    /** These variables, and the files that this process can read. */
    public static Secrets of(Map<String, String> variables) {
        return new Secrets(Map.copyOf(variables)::get);
    }

    /**
     * The answer to a reference.
     *
     * @param text null when it is missing
     * @param problem why it is missing, in words that continue "the file /path ..."; empty when it is there
     * @param readableByAll a file that every user of the machine can read
     */
    record SecretLookup(@Nullable String text, String problem, boolean readableByAll) {
        static SecretLookup missing(String problem) {
            return new SecretLookup(null, problem, false);
        }

        /** Without the text. */
        @Override
        public String toString() {
            return "SecretLookup[" + (text == null ? problem : "found") + "]";
        }
    }

    SecretLookup variable(String name) {
        String value = variables.apply(name);
        if (value == null) {
            return SecretLookup.missing("is not set");
        }
        return value.isBlank() ? SecretLookup.missing("is empty") : new SecretLookup(value, "", false);
    }

    /** One line break at the end of the file does not count. */
    SecretLookup file(String name) {
        try {
            Path path = Path.of(name);
            if (!path.isAbsolute()) {
                return SecretLookup.missing("is not absolute: begin its path with a slash");
            }
            if (!Files.exists(path)) {
                return SecretLookup.missing("does not exist, or its directory cannot be read");
            }
            if (!Files.isRegularFile(path)) {
                return SecretLookup.missing("is not a regular file");
            }
            return read(path);
        } catch (InvalidPathException wrong) {
            return SecretLookup.missing("has a name that cannot be a path");
        } catch (NoSuchFileException gone) {
            return SecretLookup.missing("does not exist");
        } catch (AccessDeniedException denied) {
            return SecretLookup.missing("cannot be read by this user: change its owner or mode");
        } catch (CharacterCodingException binary) {
            return SecretLookup.missing("is not UTF-8 text");
        } catch (IOException failed) {
            return SecretLookup.missing(
                    "could not be read (" + failed.getClass().getSimpleName() + ")");
        }
    }

    private static SecretLookup read(Path path) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(path)) {
            bytes = in.readNBytes(LARGEST_FILE + 1);
        }
        if (bytes.length > LARGEST_FILE) {
            return SecretLookup.missing("is larger than 64 KiB");
        }
        String text = StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString()
                .replaceFirst("\\r?\\n\\z", "");
        return text.isBlank() ? SecretLookup.missing("is empty") : new SecretLookup(text, "", isReadableByAll(path));
    }

    static boolean isReadableByAll(Path path) {
        try {
            return Files.getPosixFilePermissions(path).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }
}
