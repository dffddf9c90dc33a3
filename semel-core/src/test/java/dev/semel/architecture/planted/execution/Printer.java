package dev.semel.architecture.planted.execution;

final class Printer {
    void out() {
        System.out.println();
    }

    void err() {
        System.err.println();
    }

    void exit() {
        System.exit(1);
    }

    void halt() {
        Runtime.getRuntime().halt(1);
    }

    void stack(Exception e) {
        e.printStackTrace();
    }

    int allowed() {
        return Runtime.getRuntime().availableProcessors();
    }
}
