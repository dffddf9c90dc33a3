package dev.semel.cli;

/**
 * A command from another jar on the class path, such as {@code bench}: a class with picocli's {@code @Command}, found by
 * {@link java.util.ServiceLoader}.
 */
public interface AddedCommand {}
