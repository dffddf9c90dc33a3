package dev.semel.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.key.Fingerprint;
import dev.semel.key.Identity;
import dev.semel.store.Header;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import org.junit.jupiter.api.Test;

class CausesTest {
    private static final Row LETTER = new Row(
            Identity.of(Tenant.SINGLE, "mail", Key.of("k")).id(),
            new Header("acme", "mail", "k", Fingerprint.of(new byte[35]), "c", null),
            new Status(State.FAILED_TERMINAL, 0, 1, 1, 0, 0),
            null,
            null,
            null);

    private final Causes causes = new Causes();

    @Test
    void messagesThatDifferInTheirValuesAreOneCause() {
        add("order 17 was not found", new IllegalStateException());
        add("order 18 was not found", new IllegalStateException());
        add("customer \"Ann B.\" has no address", new IllegalStateException());
        add("customer \"Bo\" has no address", new IllegalStateException());
        add("connection to ann@example.com refused by peer", new java.net.ConnectException());
        add("connection to bo@example.com refused by peer", new java.net.ConnectException());
        assertThat(causes.groups())
                .extracting(UnresolvedMessages.CauseGroup::count, UnresolvedMessages.CauseGroup::reason)
                .containsExactly(
                        tuple(2L, "order … was not found"),
                        tuple(2L, "customer … has no address"),
                        tuple(2L, "connection to … refused by peer"));
    }

    @Test
    void otherTextsAndOtherExceptionsAreOtherCauses() {
        add("the mailbox is full", new java.io.IOException());
        add("its disk was lost", new java.io.IOException());
        add("the mailbox is full", new IllegalStateException());
        assertThat(causes.groups()).hasSize(3).allMatch(group -> group.count() == 1);
        assertThat(causes.groups())
                .extracting(UnresolvedMessages.CauseGroup::reason)
                .contains("the mailbox is full");
    }

    @Test
    void textsWithoutEndAreCountedTogether() {
        for (int i = 0; i < 500; i++) {
            add("x" + " y".repeat(i % 140) + " z".repeat(i / 140 * 3), new java.io.IOException());
        }
        assertThat(causes.groups()).hasSizeLessThanOrEqualTo(100);
        assertThat(causes.groups().stream()
                        .mapToLong(UnresolvedMessages.CauseGroup::count)
                        .sum())
                .isEqualTo(500);
    }

    private void add(String reason, Exception thrown) {
        causes.add(LETTER, Failure.of(Failure.Category.UNKNOWN, reason).withException(thrown));
    }
}
