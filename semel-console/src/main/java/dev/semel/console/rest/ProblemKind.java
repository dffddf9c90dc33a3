package dev.semel.console.rest;

/** Why a request was not carried out: what the {@code code}, {@code status} and {@code title} of a problem say. */
public interface ProblemKind {
    /** Public and stable: {@code request.invalid}. */
    String code();

    /** The HTTP status. */
    int status();

    /** For people. */
    String title();
}
