package dev.semel.cli;

import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Forgotten;
import dev.semel.store.Store;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(name = "ops", description = "What a person may do to records. Audited.", mixinStandardHelpOptions = true)
final class Ops implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to do to a record: forget.");
    }

    @Command(
            name = "forget",
            header = "Makes a key new again: its record is removed, and the next call runs.",
            description = {
                "Refused while the record is queued or running. A node that keeps results in memory may go on replaying the"
                        + " old one until it lets go of it.",
                "Exits with 0 when it was forgotten, with 1 when there was no record, with 2 when it was refused."
            },
            mixinStandardHelpOptions = true)
    int forget(
            @Mixin StoreOption store,
            @Option(names = "--tenant", required = true, paramLabel = "NAME", description = "Whose record it is.")
                    String tenant,
            @Option(names = "--operation", required = true, paramLabel = "NAME", description = "The operation's name.")
                    String operation,
            @ArgGroup(multiplicity = "1") KeyOption key,
            @Mixin WarrantOption warrant) {
        Operator.Warrant why = warrant.given();
        Tenant whose = Tenant.of(tenant);
        String what = Operation.leased(operation, Object.class, Object.class).name();
        Key which = key.read(System.in);
        Forgotten result;
        try (Store opened = store.open()) {
            result = Operator.on(opened).forget(whose, what, which, why);
        }
        boolean done = result == Forgotten.DONE;
        spec.commandLine()
                .getOut()
                .println(what + " (tenant " + whose + "): "
                        + (done ? "forgotten; the next call with this key runs." : "there is no record of this key."));
        return (done ? Exit.OK : Exit.CHECK_FAILED).code();
    }

    /** The key, which need not stand in the shell's history. */
    static final class KeyOption {
        /** More than any key takes; enough to say how long one is that is too long. */
        private static final int LARGEST_FILE = 1 << 20;

        @Option(names = "--key", paramLabel = "KEY", description = "The key.")
        private @Nullable String text;

        @Option(
                names = "--key-file",
                paramLabel = "FILE",
                description = {
                    "A file that holds the key, or - for standard input: so it stays out of the shell's history.",
                    "One line end at the end is not part of the key."
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
                throw new SemelException.Invalid(from + " is not text in UTF-8. Save the key as UTF-8.", e);
            } catch (IOException | InvalidPathException e) {
                throw new SemelException.Invalid(from + " cannot be read (" + e + "). Name a file that can be.", e);
            }
        }
    }
}
