package dev.semel.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.atomic.AtomicInteger;

/** Answers 201 with the number of its run, and counts. */
final class CountingHandler implements App {
    private final AtomicInteger runs = new AtomicInteger();

    int runs() {
        return runs.get();
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response) throws Exception {
        response.setStatus(201);
        response.setContentType("application/json");
        response.getOutputStream().write(("{\"run\":" + runs.incrementAndGet() + "}").getBytes("UTF-8"));
    }
}
