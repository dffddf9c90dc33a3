package dev.semel.worker;

import dev.semel.time.TimeSource;
import java.time.Duration;

/** Another time source, for tests that change one thing about it. */
class ForwardingTime implements TimeSource {
    private final TimeSource time;

    ForwardingTime(TimeSource time) {
        this.time = time;
    }

    @Override
    public long millis() {
        return time.millis();
    }

    @Override
    public long nanos() {
        return time.nanos();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        time.sleep(duration);
    }

    @Override
    public Gate gate() {
        return time.gate();
    }

    /** The same for one of its gates. */
    static class ForwardingGate implements Gate {
        private final Gate gate;

        ForwardingGate(Gate gate) {
            this.gate = gate;
        }

        @Override
        public void open() {
            gate.open();
        }

        @Override
        public boolean isOpen() {
            return gate.isOpen();
        }

        @Override
        public void await() throws InterruptedException {
            gate.await();
        }

        @Override
        public boolean await(Duration atMost) throws InterruptedException {
            return gate.await(atMost);
        }
    }
}
