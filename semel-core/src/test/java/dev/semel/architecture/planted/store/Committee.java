package dev.semel.architecture.planted.store;

final class Committee {
    Thread thread() {
        return new Thread(() -> {});
    }
}
