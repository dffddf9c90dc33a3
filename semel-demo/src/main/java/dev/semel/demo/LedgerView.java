package dev.semel.demo;

import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Looks into the ledger at the end of the demo: whether anything is still on its way, and how each webhook was left. */
final class LedgerView implements AutoCloseable {
    private static final int PAGE = 500;
    private static final List<State> UNFINISHED = List.of(State.QUEUED, State.IN_PROGRESS, State.FAILED_RETRYABLE);
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Semel semel;
    private final Operator operator;
    private final String tenant;

    private LedgerView(Semel semel, String run) {
        this.semel = semel;
        this.operator = Engine.behind(semel).orElseThrow().operator();
        this.tenant = DemoConfig.tenant(run);
    }

    static LedgerView open(String store, String run) {
        return new LedgerView(Semel.open(store), run);
    }

    /** Whether all webhooks have ended in the ledger; false also while it is busy. */
    boolean isFinished() {
        try {
            return List.of(DemoConfig.INCOMING, DemoConfig.OUTGOING).stream()
                    .allMatch(channel -> UNFINISHED.stream()
                            .allMatch(state -> operator.list(state, of(channel), RecordFilter.Cursor.START, 1)
                                    .isEmpty()));
        } catch (SemelException.StoreUnavailable e) {
            return false;
        }
    }

    /** The state in which each webhook was left on its way to the bank. */
    void readInto(BiConsumer<ShopEvent, String> states) {
        for (State state : State.values()) {
            RecordFilter.Cursor behind = RecordFilter.Cursor.START;
            List<Row> rows = operator.list(state, of(DemoConfig.OUTGOING), behind, PAGE);
            while (!rows.isEmpty()) {
                rows.forEach(row -> states.accept(event(row), state.name()));
                rows = operator.list(
                        state, of(DemoConfig.OUTGOING), RecordFilter.Cursor.behind(rows.get(rows.size() - 1)), PAGE);
            }
        }
    }

    private RecordFilter of(String channel) {
        return new RecordFilter(tenant, channel, false, Long.MAX_VALUE);
    }

    private static ShopEvent event(Row row) {
        JsonNode webhook = JSON.readTree(Objects.requireNonNull(row.payload()));
        return ShopEvent.of(
                JSON.readTree(webhook.get("body").binaryValue()).get("id").asString());
    }

    @Override
    public void close() {
        semel.close();
    }
}
