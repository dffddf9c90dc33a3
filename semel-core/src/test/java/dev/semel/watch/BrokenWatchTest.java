package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.State;
import dev.semel.testkit.memory.MemoryStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A watch that throws at every event changes nothing. */
class BrokenWatchTest extends WatchFixture {
    private final Set<String> told = new HashSet<>();
    private final InvocationHandler throwing = (proxy, method, arguments) -> {
        told.add(method.getName());
        throw new IllegalStateException("simulated in " + method.getName());
    };

    private Watch broken() {
        Watch.Trace trace = (Watch.Trace)
                Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Watch.Trace.class}, throwing);
        return (Watch) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Watch.class}, (proxy, method, arguments) -> {
                    told.add(method.getName());
                    if (method.getName().equals("begins")) {
                        return trace;
                    }
                    throw new IllegalStateException("simulated in " + method.getName());
                });
    }

    @Test
    void everyAnswerAndEveryRecordIsAsWithoutIt() {
        Engine engine = start(broken());
        new Scenario(engine, start(Watch.NONE), time, "k").play();
        assertThat(engine.run(CHARGE, call("k"), (payload, tx) -> "done")).isInstanceOf(Answer.Executed.class);
        assertThat(engine.run(CHARGE, call("k"), (payload, tx) -> "never")).isInstanceOf(Answer.Replayed.class);
        engine.send(POST, message("p"));
        work(engine);
        assertThat(store.ledger().overdue(State.IN_PROGRESS, List.of("post", "mail", "charge"), Cursor.OLDEST, 10))
                .isEmpty();
        assertThat(told)
                .containsAll(Stream.of(Watch.class.getMethods(), Watch.Trace.class.getMethods())
                        .flatMap(Stream::of)
                        .map(java.lang.reflect.Method::getName)
                        .toList());
    }

    @Test
    void watchIsGivenOnce() {
        EngineSettings twice = EngineSettings.on(new MemoryStore(time))
                .withWatch(MicrometerWatch.of(meters))
                .withWatch(MicrometerWatch.of(meters));
        assertThatThrownBy(twice::open)
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("the watch is set twice");
    }
}
