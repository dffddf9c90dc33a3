package dev.semel.worker;

import dev.semel.Channel;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.execution.EngineServices;
import dev.semel.time.TimeSource;

/**
 * What the classes that serve one channel share.
 *
 * @param known the operation and its handler
 * @param results writes the results of all channels
 * @param permit lets one suspect of all channels run at a time
 */
record ChannelContext<P, R>(
        EngineServices services,
        Registry.RegisteredOperation<P, R> known,
        Policy policy,
        ResultWriter results,
        ChannelPauses pauses,
        SuspectPermit permit) {

    String name() {
        return known.operation().name();
    }

    Operation<P, R> operation() {
        return known.operation();
    }

    Channel.Capacity capacity() {
        return known.capacity();
    }

    TimeSource time() {
        return services.tools().time();
    }

    boolean isAtomic() {
        return known.atomic() != null;
    }

    /** Whether a run that another node left unfinished may be run again. */
    boolean mayRepeat() {
        return known.mayRepeat(policy);
    }
}
