package dev.semel.engine;

import dev.semel.execution.BreakerStanding;
import dev.semel.execution.ReceiverBreakers;
import dev.semel.operator.ReadingNode;
import dev.semel.worker.ActivityRecorder;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An engine as the node that reads an overview. */
final class ReadingEngine implements ReadingNode {
    private static final Logger LOG = LoggerFactory.getLogger(ReadingEngine.class);

    private final ReceiverBreakers breakers;
    private final Optional<ActivityRecorder> recorder;
    private volatile @Nullable String name;

    ReadingEngine(ReceiverBreakers breakers, Optional<ActivityRecorder> recorder) {
        this.breakers = breakers;
        this.recorder = recorder;
    }

    /** Found when somebody asks, because looking for it may take long. */
    @Override
    public String name() {
        String known = name;
        if (known == null) {
            known = hostName() + "/" + ProcessHandle.current().pid();
            name = known;
        }
        return known;
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            LOG.debug("This host has no name.", e);
            return "localhost";
        }
    }

    @Override
    public Map<String, BreakerStanding> breakers() {
        return breakers.standings();
    }

    @Override
    public void writeCounts() {
        recorder.ifPresent(each -> each.flush(false));
    }
}
