package dev.semel.server.routing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerChannelsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "source.stripe",
                "destination.app",
                "topic.orders",
                "semel.replays",
                "POST /payments/**",
                "DELETE /a\nb"
            })
    void namesOfSourcesTopicsDestinationsJobsAndGatewayRequestsAreTheServersOwn(String name) {
        assertThat(ServerChannels.isReserved(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"refund", "post /payments", "payments/POST", "sources", "topics", "semel"})
    void otherNamesBelongToCallersOfTheApi(String name) {
        assertThat(ServerChannels.isReserved(name)).isFalse();
    }
}
