package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpSession;

/** How long a stream of the console is valid without a further request. */
class ConsoleAccessTest {
    private final ManualTime time = new ManualTime(1_800_000_000_000L);
    private final ConsoleAccess access = new ConsoleAccess(
            new SemelConsoleProperties("/semel", List.of(), List.of(), List.of(), false),
            request -> Optional.empty(),
            time);

    @Test
    void h5_streamOfARequestWithCredentialsOfItsOwnIsOpenedAgainAfterAMinute() {
        MockHttpServletRequest basic = new MockHttpServletRequest();
        basic.addHeader("Authorization", "Basic b2xnYTpzZWNyZXQ=");
        basic.setSession(new MockHttpSession());
        BooleanSupplier own = access.validity(basic);
        BooleanSupplier stateless = access.validity(new MockHttpServletRequest());
        time.advance(Duration.ofSeconds(59));
        assertThat(own.getAsBoolean()).isTrue();
        assertThat(stateless.getAsBoolean()).isTrue();
        time.advance(Duration.ofSeconds(1));
        assertThat(own.getAsBoolean()).isFalse();
        assertThat(stateless.getAsBoolean()).isFalse();
    }

    @Test
    void h5_streamOfASessionIsValidAsLongAsTheSession() {
        MockHttpServletRequest request = new MockHttpServletRequest();
        MockHttpSession session = new MockHttpSession();
        request.setSession(session);
        BooleanSupplier valid = access.validity(request);
        time.advance(Duration.ofHours(1));
        assertThat(valid.getAsBoolean()).isTrue();
        session.invalidate();
        assertThat(valid.getAsBoolean()).isFalse();
    }
}
