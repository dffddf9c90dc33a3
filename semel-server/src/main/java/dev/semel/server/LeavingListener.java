package dev.semel.server;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;

/** Leaves a generation when a request that is answered later has ended. */
final class LeavingListener implements AsyncListener {
    private final Generation generation;

    LeavingListener(Generation generation) {
        this.generation = generation;
    }

    @Override
    public void onComplete(AsyncEvent event) {
        generation.leave();
    }

    @Override
    public void onTimeout(AsyncEvent event) {}

    @Override
    public void onError(AsyncEvent event) {}

    @Override
    public void onStartAsync(AsyncEvent event) {}
}
