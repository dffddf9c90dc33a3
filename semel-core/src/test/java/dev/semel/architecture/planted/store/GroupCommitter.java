package dev.semel.architecture.planted.store;

final class GroupCommitter {
    static final class Lane {
        Thread allowed() {
            return new Thread(() -> {});
        }
    }
}
