package dev.semel.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CidrNetworkTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.0/8",
                "127.0.0.1/32",
                "0.0.0.0/0",
                "192.168.4.0/22",
                "::1/128",
                "fd00::/8",
                "::/0",
                "2001:db8::/33"
            })
    void networksAreAccepted(String network) {
        assertThat(CidrNetwork.of(network).contains(CidrNetwork.of(network).base()))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.0",
                "10.0.0/8",
                "10.0.0.0.0/8",
                "010.0.0.0/8",
                "256.0.0.0/8",
                "10.0.0.0/33",
                "10.0.0.0/08",
                "127.0.0.1/032",
                "fd00::/008",
                "10.0.0.1/8",
                "localhost/8",
                "1/8",
                "0x7f000001/32",
                "::1/129",
                "::1/64",
                "1::2::3/64",
                ":::/8",
                "fe80::1%eth0/64",
                "::ffff:10.0.0.0/104",
                "/8",
                "10.0.0.0/"
            })
    void everythingElseIsRejected(String network) {
        assertThatThrownBy(() -> CidrNetwork.of(network)).isInstanceOf(IllegalArgumentException.class);
    }
}
