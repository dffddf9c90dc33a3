package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Key, tenant, operation and call: accepted values, rejected values, and that values are kept unchanged. */
class CallValuesTest {
    private static final Policy REPEATABLE =
            Policy.named("eager").withRepeatable(true).build();

    private static final Tenant TENANT = Tenant.of("acme");
    private static final Key KEY = Key.of("k-17");

    @ParameterizedTest
    @ValueSource(strings = {"a", "A", "a ", " a", "\u0000", "é", "e\u0301", "😀"})
    void keysAreKeptToTheLetter(String text) {
        assertThat(Key.of(text).text()).isEqualTo(text);
        assertThat(Key.of(text).lock()).isEqualTo(text);
    }

    @Test
    void keyHas1To255Characters() {
        assertThat(Key.of("x".repeat(255)).text()).hasSize(255);
        assertInvalid(() -> Key.of(""), "is empty");
        assertInvalid(() -> Key.of("x".repeat(256)), "has 256 characters");
        assertInvalid(() -> Key.of("x".repeat(10_000)), "has 10000 characters");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\ud800", "\udc00a", "\ud800\ud800\udc00"})
    void halfASurrogatePairIsRefused(String text) {
        assertInvalid(() -> Key.of(text), "half of a surrogate pair");
    }

    @Test
    void keyIsNotShown() {
        assertThat(Key.of("secret")).hasToString("Key[6 characters]");
    }

    @Test
    void onlyAKeyWithNeighboursHasASeparateLock() {
        assertThat(Key.withNeighbours("t:2", "t", List.of("t:1", "t:3")).neighbours())
                .containsExactly("t:1", "t:3");
        assertInvalid(() -> Key.withNeighbours("t:2", "t", List.of()), "is its own lock");
        assertInvalid(() -> Key.withNeighbours("t:2", "t", List.of("")), "neighbouring key is empty");
        assertInvalid(() -> Key.withNeighbours("t:2", "", List.of("t:1")), "key's lock is empty");
    }

    @Test
    void keysAreEqualIfTextAndNeighboursAre() {
        Key key = Key.withNeighbours("t:2", "t", List.of("t:1", "t:3"));
        assertThat(key)
                .isEqualTo(Key.withNeighbours("t:2", "t", List.of("t:1", "t:3")))
                .hasSameHashCodeAs(Key.withNeighbours("t:2", "t", List.of("t:1", "t:3")))
                .isNotEqualTo(Key.of("t:2"))
                .isNotEqualTo(Key.withNeighbours("t:2", "u", List.of("t:1", "t:3")));
        assertThat(Key.of("a")).isEqualTo(Key.of("a")).isNotEqualTo(Key.of("b"));
    }

    @Test
    void tenantsAreNamesInOrder() {
        assertThat(Tenant.of("a")).isLessThan(Tenant.of("b")).hasToString("a");
        assertThat(Tenant.SINGLE.name()).isEqualTo("default");
        assertInvalid(() -> Tenant.of(""), "tenant is empty");
        assertInvalid(() -> Tenant.of("a\nb"), "control character at position 1");
        assertInvalid(() -> Tenant.of("x".repeat(256)), "has 256 characters");
    }

    @Test
    void operationIsDeclaredOnce() {
        Operation.Atomic<String, Integer> atomic = Operation.atomic("charge", String.class, Integer.class)
                .withPolicy("http.client")
                .withSchemaVersion(2)
                .withTransportFields("retries");
        assertThat(atomic.name()).isEqualTo("charge");
        assertThat(atomic.definition().policy()).isEqualTo(Policy.Choice.named("http.client"));
        assertThat(atomic.definition().schemaVersion()).isEqualTo(2);
        assertThat(atomic.definition().transportFields()).containsExactly("retries");
        assertThat(Operation.atomic("a", String.class, String.class)
                        .definition()
                        .policy())
                .isEqualTo(Policy.Choice.named("default"));
        assertThat(atomic.withPolicy(Policy.WORKER_JOB).definition().policy())
                .isEqualTo(new Policy.Choice("worker.job", Policy.WORKER_JOB));
    }

    @Test
    void leasedChannelIsRepeatableUnlessDeclaredOtherwise() {
        Channel.Leased<String> channel = Channel.leased("mail", String.class);
        assertThat(channel.repeatable()).isTrue();
        assertThat(channel.operation().isRepeatable(Policy.DEFAULT)).isTrue();
        assertThat(channel.asUnrepeatable().operation().isRepeatable(REPEATABLE))
                .isFalse();
        assertThat(channel.asUnrepeatable().asRepeatable().repeatable()).isTrue();
    }

    @Test
    void typeIsTheSameIfItsArgumentsAre() {
        var orders = new Operation.TypeRef<List<String>>() {};
        assertThat(orders)
                .isEqualTo(new Operation.TypeRef<List<String>>() {})
                .hasSameHashCodeAs(new Operation.TypeRef<List<String>>() {})
                .isNotEqualTo(new Operation.TypeRef<List<Integer>>() {})
                .hasToString("java.util.List<java.lang.String>");
        assertThat(orders.raw()).isEqualTo(List.class);
        assertThat(new Operation.TypeRef<List<String>[]>() {}.raw()).isEqualTo(List[].class);
        assertThat(new Operation.TypeRef<String>() {}).isEqualTo(Operation.TypeRef.of(String.class));
        assertThat(Operation.atomic("split", Operation.TypeRef.of(String.class), orders)
                        .definition()
                        .result())
                .isEqualTo(orders);
        assertThat(Channel.leased("orders", orders).definition().operation().payload())
                .isEqualTo(orders);
        assertThat(Channel.atomic("orders", orders).definition().operation().payload())
                .isEqualTo(orders);
    }

    @Test
    void typeWithAVariableIsRejected() {
        assertInvalid(CallValuesTest::<String>listOf, "The type java.util.List<T> has a variable");
        assertInvalid(CallValuesTest::<String>arrayOf, "has a variable");
        assertInvalid(CallValuesTest::<String>subtypesOf, "has a variable");
        assertInvalid(CallValuesTest::untyped, "says no type");
    }

    private static <T> void listOf() {
        new Operation.TypeRef<List<T>>() {};
    }

    private static <T> void arrayOf() {
        new Operation.TypeRef<T[]>() {};
    }

    private static <T> void subtypesOf() {
        new Operation.TypeRef<List<? extends T>>() {};
    }

    @SuppressWarnings("rawtypes") // what is refused
    private static void untyped() {
        new Operation.TypeRef() {};
    }

    @Test
    void leasedOperationIsRepeatableOnlyWhenDeclared() {
        Operation.Leased<String, Integer> leased = Operation.leased("refund", String.class, Integer.class);
        assertThat(leased.isRepeatable(Policy.DEFAULT)).isFalse();
        assertThat(leased.isRepeatable(REPEATABLE))
                .as("undeclared, by its policy")
                .isTrue();
        Operation.Leased<String, Integer> declared = leased.asRepeatable()
                .withPolicy("crm.writeback")
                .withSchemaVersion(3)
                .withTransportFields("received");
        assertThat(declared.isRepeatable(Policy.DEFAULT)).isTrue();
        assertThat(declared.asUnrepeatable().isRepeatable(REPEATABLE)).isFalse();
        assertThat(declared.definition().policy()).isEqualTo(Policy.Choice.named("crm.writeback"));
        assertThat(declared.withPolicy(Policy.KV_GET).definition().policy().carried())
                .isEqualTo(Policy.KV_GET);
    }

    @Test
    void impossibleOperationIsRejected() {
        assertInvalid(() -> Operation.atomic("", String.class, String.class), "operation name is empty");
        assertInvalid(() -> Operation.atomic("x".repeat(121), String.class, String.class), "has 121 characters");
        var operation = Operation.leased("refund", String.class, String.class);
        assertInvalid(() -> operation.withPolicy(""), "policy name is empty");
        assertInvalid(() -> operation.withSchemaVersion(0), "schema version 0 is outside");
        assertInvalid(() -> operation.withSchemaVersion(65_536), "schema version 65536 is outside");
    }

    private static Operation.Migration<?, ?> from(int version) {
        return Operation.Migration.of(version, String.class, String.class, text -> text);
    }

    @Test
    void d13_chainOfMigrationsWithAGapIsRejectedAtItsDeclaration() {
        var mail = Operation.leased("mail", String.class, String.class);
        assertInvalid(
                () -> mail.withSchemaVersion(6, from(1), from(4)),
                "Operation mail: no chain of migrations to schema version 6: version 2 has no migration, version 3 has"
                        + " no migration, version 5 has no migration");
        assertInvalid(() -> mail.withSchemaVersion(3, from(2), from(1), from(2)), "version 2 has two migrations");
        assertInvalid(() -> mail.withSchemaVersion(2, from(1), from(2)), "version 2 is not one before the present");
        assertInvalid(() -> mail.withSchemaVersion(2, from(0), from(1)), "version 0 is not one before the present");
        assertInvalid(() -> mail.withSchemaVersion(2, from(1)).withSchemaVersion(3), "version 2 has no migration");
        var channel = Channel.atomic("mail", String.class);
        assertInvalid(() -> channel.withSchemaVersion(3, from(1)), "version 2 has no migration");
        assertThat(mail.withSchemaVersion(4, from(3), from(2)).definition().schemaVersion())
                .isEqualTo(4);
    }

    @Test
    void callCarriesItsOriginAndPatience() {
        Instant deadline = Instant.parse("2026-11-06T08:49:07Z");
        Call<String> call = Call.of(TENANT, KEY, "payload")
                .withOrigin(Call.Origin.UNSTATED
                        .withActor("u-1", "user")
                        .withSource("http")
                        .withTraceId("t-1")
                        .withRequestId("r-1")
                        .withAggregateVersion(7))
                .withCorrelationId("c-1")
                .withPatience(Duration.ofSeconds(2))
                .withDeadline(deadline);
        assertThat(call)
                .isEqualTo(new Call<>(
                        TENANT,
                        KEY,
                        "payload",
                        new Call.Origin(new Call.Origin.Ids("c-1", "t-1", "r-1"), "u-1", "user", "http", 7L),
                        Duration.ofSeconds(2),
                        deadline));
    }

    @Test
    void plainCallDoesNotWaitAndMayHaveNoPayload() {
        Call<String> call = Call.of(TENANT, KEY, null);
        assertThat(call.patience()).isZero();
        assertThat(call.deadline()).isNull();
        assertThat(call.payload()).isNull();
        assertThat(call.origin()).isEqualTo(Call.Origin.UNSTATED);
    }

    @Test
    void impossibleCallIsRejected() {
        Call<String> call = Call.of(TENANT, KEY, "payload");
        assertInvalid(() -> call.withPatience(Duration.ofNanos(-1)), "patience of a call is negative");
        assertInvalid(() -> call.withCorrelationId("a\r\nb"), "correlation id has a control character");
        assertInvalid(() -> call.withCorrelationId("x".repeat(256)), "correlation id has 256 characters");
        assertInvalid(() -> call.withOrigin(Call.Origin.UNSTATED.withActor("", "user")), "actor is empty");
    }

    @Test
    void exceptionsCarryTheirDetails() {
        var cause = new IOException("down");
        var wrong = new SemelException.Misconfigured("settings", List.of("a is 1: use 2", "b is missing"));
        assertThat(wrong).hasMessage("settings: a is 1: use 2; b is missing.");
        assertThat(wrong.faults()).containsExactly("a is 1: use 2", "b is missing");
        assertThat(new SemelException.LeaseLost("lost", 12).fence()).isEqualTo(12);
        assertThat(new SemelException.Invalid("no", cause)).hasCause(cause);
        assertThat(new SemelException.StoreUnavailable("down", cause))
                .hasMessage("down")
                .hasCause(cause);
        assertThat(new SemelException.OutcomeUnknown("maybe", cause)).hasCause(cause);
        assertThat(new SemelException.TransactionMustBeRetried("again", cause)).hasCause(cause);
    }

    @Test
    void stricterModeWins() {
        assertThat(Mode.LIVE.stricter(Mode.SHADOW)).isEqualTo(Mode.SHADOW);
        assertThat(Mode.HALTED.stricter(Mode.SHADOW)).isEqualTo(Mode.HALTED);
        assertThat(Mode.LIVE.stricter(Mode.LIVE)).isEqualTo(Mode.LIVE);
    }

    private static void assertInvalid(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(SemelException.Invalid.class).hasMessageContaining(message);
    }
}
