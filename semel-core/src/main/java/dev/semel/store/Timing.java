package dev.semel.store;

import dev.semel.time.TimeSource;
import dev.semel.watch.Watch;
import java.util.function.Supplier;

/** Tells a watch how long each step of one store takes. */
record Timing(Watch watch, String store, TimeSource time) {

    <T> T of(String step, Supplier<T> work) {
        long began = time.nanos();
        try {
            return work.get();
        } finally {
            since(began, step);
        }
    }

    void since(long began, String step) {
        watch.took(store, step, time.nanos() - began);
    }
}
