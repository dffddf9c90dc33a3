package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.server.config.ConfigTemplate;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "init",
        header = "Writes a configuration file of the server to start from.",
        description = {
            "The file has comments, a random path for the sender, and names the environment variables that it needs.",
            "An existing file is not changed."
        },
        mixinStandardHelpOptions = true)
final class ConfigInit implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--preset",
            paramLabel = "SENDER",
            defaultValue = "standard-webhooks",
            completionCandidates = Presets.class,
            description = "Who sends webhooks: ${COMPLETION-CANDIDATES}. By default ${DEFAULT-VALUE}.")
    private String preset = "";

    @Option(
            names = "--file",
            paramLabel = "FILE",
            defaultValue = "semel.yaml",
            description = "The file to write. By default ${DEFAULT-VALUE}.")
    private String file = "";

    @Override
    public Integer call() {
        String text = template().text(new SecureRandom());
        write(text);
        Screen screen = Screen.of(spec);
        screen.line("Wrote " + file + ". Next:");
        screen.line("  1. set " + String.join(" and ", ConfigTemplate.variables(text)));
        screen.line("  2. semel check " + file);
        return Exit.OK.code();
    }

    private ConfigTemplate template() {
        for (ConfigTemplate each : ConfigTemplate.values()) {
            if (each.preset().equals(preset)) {
                return each;
            }
        }
        throw new ParameterException(
                spec.commandLine(),
                "Unknown preset '" + Screen.plain(preset) + "': use one of "
                        + String.join(", ", ConfigTemplate.presets()) + ".");
    }

    /** For this user alone: a configuration tells who may be called, and by which path. */
    private void write(String text) {
        try {
            Path path = Path.of(file);
            boolean posix =
                    FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
            FileAttribute<?>[] mode = posix
                    ? new FileAttribute<?>[] {
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                    }
                    : new FileAttribute<?>[0];
            try (OutputStream out = Channels.newOutputStream(Files.newByteChannel(
                    path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), mode))) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
            }
        } catch (FileAlreadyExistsException e) {
            throw new SemelException.Invalid(
                    "The file " + file + " exists and was not changed. Name another one with --file, or remove it.", e);
        } catch (IOException | InvalidPathException e) {
            throw new SemelException.Invalid(
                    "Writing the file " + file + " failed (" + e
                            + "). Name a file in a writable directory with --file.",
                    e);
        }
    }

    static final class Presets extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        Presets() {
            super(List.copyOf(ConfigTemplate.presets()));
        }
    }
}
