package dev.semel.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** The handler behind the filter in a test. */
@FunctionalInterface
public interface App {
    void handle(HttpServletRequest request, HttpServletResponse response) throws Exception;
}
