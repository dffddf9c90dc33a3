package dev.semel.jdbc.planted.attic;

/** In a package that nobody has listed. */
public final class Trunk {}
