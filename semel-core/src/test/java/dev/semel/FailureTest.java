package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Failure.Category;
import java.time.Duration;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class FailureTest {

    @Test
    void codesAreTheContracts() {
        assertThat(Arrays.stream(Category.values()).map(Category::code))
                .containsExactly(
                        "network",
                        "timeout",
                        "rate_limited",
                        "upstream_error",
                        "auth",
                        "validation",
                        "mapping",
                        "conflict",
                        "not_found",
                        "business_rule",
                        "disabled",
                        "render",
                        "invalid_output",
                        "lease_lost",
                        "bug",
                        "unknown");
    }

    @Test
    void codeFindsItsCategory() {
        for (Category category : Category.values()) {
            assertThat(Category.ofCode(category.code())).contains(category);
        }
        assertThat(Category.ofCode("NETWORK")).isEmpty();
    }

    @Test
    void storedFailureIsNeverRetried() {
        assertThat(Category.values()).noneMatch(c -> c.stored() && c.retried());
        assertThat(Category.values()).noneMatch(c -> c.stored() && c.indeterminate());
    }

    @Test
    void failureCanBeThrown() {
        Failure failure = Failure.of(Category.MAPPING, "CRM mapping mismatch");
        assertThat(failure.asException().failure()).isEqualTo(failure);
        assertThat(failure.asException())
                .hasMessage("mapping: CRM mapping mismatch")
                .hasNoCause();
    }

    @Test
    void failureWithoutAReasonHasItsCode() {
        assertThat(Failure.of(Category.TIMEOUT, " \n ").reason()).isEqualTo("timeout");
    }

    @Test
    void failureIsMadeHarmlessNotRefused() {
        var failure = new Failure(Category.BUG, "a\tb\nc", "x\u0000y", Duration.ofSeconds(-1));
        assertThat(failure).isEqualTo(new Failure(Category.BUG, "a b c", "x y", Duration.ZERO));
        assertThat(Failure.of(Category.BUG, "\ud83d\ude00".repeat(200)).reason())
                .hasSizeLessThanOrEqualTo(Failure.MAX_REASON)
                .endsWith("\ud83d\ude00...");
    }

    @Test
    void reasonOfTheLongestLengthIsKeptWhole() {
        String longest = "x".repeat(Failure.MAX_REASON);
        assertThat(Failure.of(Category.BUG, longest).reason()).isEqualTo(longest);
        assertThat(Failure.of(Category.BUG, longest + " \n").reason()).isEqualTo(longest);
        assertThat(Failure.of(Category.BUG, longest + "x").reason())
                .endsWith("x...")
                .hasSize(Failure.MAX_REASON);
    }

    @Property
    void everyReasonIsOneBoundedLine(@ForAll String text) {
        String reason = Failure.of(Category.UNKNOWN, text).reason();
        assertThat(reason).isNotBlank().hasSizeLessThanOrEqualTo(Failure.MAX_REASON);
        assertThat(reason.chars()).noneMatch(Character::isISOControl);
        assertThat(Failure.of(Category.UNKNOWN, reason).reason()).isEqualTo(reason);
    }
}
