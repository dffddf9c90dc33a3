package dev.semel.testkit;

import dev.semel.key.RecordId;
import dev.semel.store.AuditEntry;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A move in the making; it comes from IN_PROGRESS, and every part that a test does not speak of has a plain value. */
final class MoveBuilder {
    private final RecordId id;
    private final long fence;
    private final @Nullable State to;
    private Set<State> from = EnumSet.of(State.IN_PROGRESS);
    private long delay = Status.NEVER;
    private long keep;
    private int attempt = -1;
    private boolean onlyIfOver;
    private byte @Nullable [] result;
    private byte @Nullable [] failure;
    private Move.@Nullable Place place;
    private final List<AuditEntry> events = new ArrayList<>();

    private MoveBuilder(RecordId id, long fence, @Nullable State to) {
        this.id = id;
        this.fence = fence;
        this.to = to;
    }

    static MoveBuilder of(RecordId id, long fence, State to) {
        return new MoveBuilder(id, fence, to);
    }

    static MoveBuilder removing(RecordId id, long fence) {
        return new MoveBuilder(id, fence, null);
    }

    MoveBuilder from(State... states) {
        from = Set.of(states);
        return this;
    }

    MoveBuilder from(Set<State> states) {
        from = states;
        return this;
    }

    MoveBuilder in(long millis) {
        delay = millis;
        return this;
    }

    MoveBuilder keptFor(long millis) {
        keep = millis;
        return this;
    }

    MoveBuilder attempt(int count) {
        attempt = count;
        return this;
    }

    MoveBuilder onlyIfOver() {
        onlyIfOver = true;
        return this;
    }

    MoveBuilder result(byte @Nullable [] bytes) {
        result = bytes;
        return this;
    }

    MoveBuilder failure(byte @Nullable [] bytes) {
        failure = bytes;
        return this;
    }

    /** It leaves the line, and the next one of its lane becomes the head. */
    MoveBuilder leaving(Line.@Nullable Lane lane) {
        place = new Move.Place(lane == null ? null : lane.number(), Move.Then.LEAVE);
        return this;
    }

    /** It joins the line at its tail. */
    MoveBuilder joining(Line.@Nullable Lane lane) {
        place = new Move.Place(lane == null ? null : lane.number(), Move.Then.JOIN);
        return this;
    }

    /** Tells this, behind what it tells already. */
    /** It keeps its place if it stands in its lane, and joins the line at its tail otherwise. */
    MoveBuilder keepingOrJoining(Line.@Nullable Lane lane) {
        place = new Move.Place(lane == null ? null : lane.number(), Move.Then.KEEP_OR_JOIN);
        return this;
    }

    MoveBuilder with(AuditEntry entry) {
        events.add(entry);
        return this;
    }

    Move move() {
        var change = new Move.Change(delay, keep, attempt, onlyIfOver, result, failure).at(place);
        return new Move(id, fence, from, to, change, events);
    }
}
