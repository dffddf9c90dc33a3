package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.policy.Catalogue;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which policies are meant: those that ship, as a configuration changes them. */
final class PolicyOption {
    @Option(
            names = "--properties",
            paramLabel = "FILE",
            description = {
                "Apply the semel.policy settings of this .properties file, and check them.",
                "By default the policies as they ship."
            })
    private @Nullable String file;

    Catalogue catalogue() {
        return file == null ? Catalogue.shipped() : catalogue(file);
    }

    static Catalogue catalogue(String file) {
        return Catalogue.fromProperties(read(file));
    }

    private static Map<String, String> read(String file) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(file))) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw new SemelException.Invalid(
                    "Reading the file " + file + " failed (" + e + "). Use a readable .properties file.", e);
        }
        Map<String, String> all = new TreeMap<>();
        properties.stringPropertyNames().forEach(name -> all.put(name, properties.getProperty(name)));
        return all;
    }
}
