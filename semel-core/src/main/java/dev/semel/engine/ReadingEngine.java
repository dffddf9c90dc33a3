package dev.semel.engine;

import dev.semel.execution.ReceiverBreakers;
import dev.semel.operator.ReadingNode;
import dev.semel.worker.ActivityRecorder;
import java.util.Optional;
import java.util.Set;

/** An engine as the node that reads an overview. */
record ReadingEngine(ReceiverBreakers breakers, Optional<ActivityRecorder> recorder) implements ReadingNode {
    @Override
    public Set<String> openBreakers() {
        return breakers.open();
    }

    @Override
    public void writeCounts() {
        recorder.ifPresent(each -> each.flush(false));
    }
}
