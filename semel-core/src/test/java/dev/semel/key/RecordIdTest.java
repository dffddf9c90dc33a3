package dev.semel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RecordIdTest {
    private static final Tenant ACME = Tenant.of("acme");

    private static RecordId id(String key) {
        return Identity.of(ACME, "pay", Key.of(key)).id();
    }

    @Test
    void a8_keysThatLookAlikeAreDifferentRecords() {
        List<String> keys = List.of(
                "k",
                "K",
                "k ",
                " k",
                "k\0",
                "\0",
                "\0\0",
                "caf\u00e9",
                "cafe\u0301",
                "\ud83d\ude00",
                "\ud83d\ude01",
                "\u212b",
                "\u00c5",
                "k".repeat(254),
                "k".repeat(255),
                "?",
                "\ufffd");
        Set<RecordId> ids = new HashSet<>();
        keys.forEach(key -> ids.add(id(key)));
        assertThat(ids).hasSameSizeAs(keys);
    }

    @Test
    void a8_keysOfNoOrTooManyCharactersAreRejected() {
        for (int length : new int[] {0, 256, 10_000}) {
            assertThatThrownBy(() -> Key.of("k".repeat(length)))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("255");
        }
        assertThatThrownBy(() -> Key.of("\ud83d")).isInstanceOf(SemelException.Invalid.class);
    }

    @Test
    void tenantOperationAndKeyDoNotRunTogether() {
        assertThat(Set.of(
                        Identity.of(Tenant.of("ab"), "c", Key.of("d")).id(),
                        Identity.of(Tenant.of("a"), "bc", Key.of("d")).id(),
                        Identity.of(Tenant.of("a"), "b", Key.of("cd")).id()))
                .hasSize(3);
    }

    @Test
    void formulaIsFixedForEver() {
        assertThat(id("k").hex()).isEqualTo("47ca586a66819b160137d35531fc1bf5e9f84f06de490c06206888e39164d24c");
        assertThat(id("k").step("psp").hex())
                .isEqualTo("8bf7fd5b5d3ada80380d4aa15c95c4cab13d235b80102768835c8a56578114e8");
    }

    @Test
    void keyWithNeighboursHasTheirIdsAndASeparateLock() {
        Key key = Keys.textInBucket("c", "hello", Duration.ofMinutes(1), Instant.EPOCH);
        Identity identity = Identity.of(ACME, "pay", key);
        assertThat(identity.id()).isEqualTo(id(key.text()));
        assertThat(identity.lock()).isEqualTo(id(key.lock()));
        assertThat(identity.neighbours())
                .containsExactly(
                        id(key.neighbours().get(0)), id(key.neighbours().get(1)));
        Identity plain = Identity.of(ACME, "pay", Key.of("k"));
        assertThat(plain).isEqualTo(Identity.of(id("k")));
        assertThat(plain.lock()).isEqualTo(plain.id());
    }

    @Test
    void stepHasItsOwnId() {
        RecordId parent = id("k");
        assertThat(parent.step("psp")).isEqualTo(id("k").step("psp"));
        assertThat(Set.of(
                        parent,
                        parent.step("psp"),
                        parent.step("Psp"),
                        parent.step("psp "),
                        parent.step("psp").step("psp"),
                        id("l").step("psp")))
                .hasSize(6);
    }

    @Test
    void stepNeedsAName() {
        for (String name : new String[] {"", "s".repeat(256), "\ud800"}) {
            assertThatThrownBy(() -> id("k").step(name)).isInstanceOf(SemelException.Invalid.class);
        }
        assertThat(id("k").step("s".repeat(255))).isNotEqualTo(id("k"));
    }

    @Test
    void downstreamKeyIsStablePrintableAndLeadsBackToItsRecord() {
        RecordId id = id("k");
        assertThat(id.downstreamKey()).matches("semel-[0-9a-f]{40}").isEqualTo(id("k").downstreamKey());
        assertThat(id.hex()).startsWith(id.downstreamKey().substring(6));
        assertThat(id.step("psp").downstreamKey()).matches("semel-[0-9a-f]{40}").isNotEqualTo(id.downstreamKey());
    }

    @Test
    void idIsReadFromItsBytesAndItsHexadecimalForm() {
        RecordId id = id("k");
        assertThat(RecordId.of(id.bytes())).isEqualTo(id).hasSameHashCodeAs(id);
        assertThat(RecordId.ofHex(id.hex())).isEqualTo(id);
        assertThat(id)
                .hasToString(id.hex().substring(0, 12))
                .isNotEqualTo(id("l"))
                .isNotEqualTo(null);
        assertThatThrownBy(() -> RecordId.of(new byte[31]))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("31");
        for (String bad : new String[] {"", "zz", "ab"}) {
            assertThatThrownBy(() -> RecordId.ofHex(bad)).isInstanceOf(SemelException.Invalid.class);
        }
    }

    @Test
    void idCannotBeChangedThroughItsBytes() {
        byte[] bytes = new byte[32];
        RecordId id = RecordId.of(bytes);
        bytes[0] = 1;
        id.bytes()[0] = 1;
        assertThat(id.hex()).isEqualTo("0".repeat(64));
    }

    @Test
    void idsAreOrderedAsUnsignedBytesAndLockedByTheirFirstEight() {
        RecordId low = RecordId.ofHex("7f" + "00".repeat(31));
        RecordId high = RecordId.ofHex("80" + "00".repeat(31));
        assertThat(low).isLessThan(high);
        assertThat(high.lockNumber()).isEqualTo(Long.MIN_VALUE);
        assertThat(RecordId.ofHex("0102030405060708" + "ff".repeat(24)).lockNumber())
                .isEqualTo(0x0102030405060708L);
    }
}
