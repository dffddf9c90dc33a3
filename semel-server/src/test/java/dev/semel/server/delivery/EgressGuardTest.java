package dev.semel.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.server.config.DestinationConfig.EgressRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What deliveries may connect to: URLs, addresses, and the networks that an operator names. */
class EgressGuardTest {
    private static EgressGuard guard(boolean plainHttp, String... networks) {
        return EgressGuard.of("crm", new EgressRules(plainHttp, List.of(networks)));
    }

    private static boolean allows(EgressGuard guard, String... addresses) {
        try {
            guard.demandAllowed(
                    List.of(addresses).stream().map(Destinations::address).toList());
            return true;
        } catch (EgressRejected e) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.255.255.254",
                "10.0.0.1",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "100.64.0.1",
                "100.127.255.255",
                "169.254.0.1",
                "169.254.169.254",
                "169.254.170.2",
                "100.100.100.200",
                "168.63.129.16",
                "0.0.0.0",
                "0.1.2.3",
                "192.0.0.8",
                "192.0.0.192",
                "192.0.2.1",
                "192.88.99.1",
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.7",
                "203.0.113.9",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255"
            })
    void g1_internalIpv4AddressIsRejected(String address) {
        assertThat(allows(guard(false), address)).isFalse();
        assertThat(allows(guard(false), "64:ff9b::" + address)).as("NAT64").isFalse();
        assertThat(allows(guard(false), "::ffff:" + address)).as("mapped").isFalse();
        assertThat(allows(guard(false), "::" + address)).as("compatible").isFalse();
        assertThat(allows(guard(false), "::ffff:0:" + address)).as("translated").isFalse();
        assertThat(allows(guard(false), "2600::5efe:" + address)).as("ISATAP").isFalse();
        assertThat(allows(guard(false), "2600::200:5efe:" + address))
                .as("ISATAP")
                .isFalse();
        byte[] four = Destinations.address(address).getAddress();
        String hex = String.format(Locale.ROOT, "%02x%02x:%02x%02x", four[0], four[1], four[2], four[3]);
        assertThat(allows(guard(false), "2002:" + hex + "::1")).as("6to4").isFalse();
        assertThat(allows(guard(false), "2001:0:" + hex + "::1")).as("Teredo").isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "::1", "::", "fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254", "fd20:ce::254", "fdff::1", "ff02::1",
                "2001:db8::1", "3fff::1", "2001::1", "2001:2::1", "2001:10::1", "100::1", "64:ff9b:1::1", "5f00::1",
                        "4000::1"
            })
    void g1_internalIpv6AddressIsRejected(String address) {
        assertThat(allows(guard(false), address)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.0",
                "169.253.255.255",
                "172.15.255.255",
                "172.32.0.0",
                "192.0.1.0",
                "198.17.255.255",
                "198.20.0.0",
                "223.255.255.255",
                "2606:4700::1111",
                "64:ff9b::1.1.1.1",
                "2002:0101:0101::1",
                "2600::5efe:1.1.1.1"
            })
    void publicAddressIsAllowed(String address) {
        assertThat(allows(guard(false), address)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://2130706433/",
                "https://0x7f000001/",
                "https://0x7f.0.0.1/",
                "https://0177.0.0.1/",
                "https://017700000001/",
                "https://127.1/",
                "https://127.0.1/",
                "https://127.0.0.01/",
                "https://127.0.0.1./",
                "https://127.0.0.0x1/",
                "https://1.2.3.4.5/",
                "https://256.0.0.1/",
                "https://%31%32%37.0.0.1/",
                "https://127%2e0%2e0%2e1/",
                "https://127\u30020\u30020\u30021/",
                "https://\uff11\uff12\uff17.0.0.1/",
                "https://\u2460.1.1.1/",
                "https://localhost\u3002/",
                "https://[fe80::1%25eth0]/",
                "https://[fe80::1%eth0]/",
                "https://[::ffff:127.0.0.1%251]/",
                "https://example.com./",
                "https:///path",
                "https:opaque",
                "https://",
                "https://0/",
                "https://0x/",
                "https://example.0x7f/",
                "https://example.1/"
            })
    void g1_encodedAddressOrUnclearHostIsRejected(String text) {
        URI url;
        try {
            url = new URI(text);
        } catch (URISyntaxException notEvenAUrl) {
            return;
        }
        assertThatThrownBy(() -> guard(true).demandAllowed(url))
                .isInstanceOf(EgressRejected.class)
                .hasMessageStartingWith("destination crm: rejected: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://example.com/",
                "ftp://example.com/",
                "file:///etc/passwd",
                "//example.com/",
                "/path",
                "https://user@example.com/",
                "https://user:secret@example.com/",
                "https://@example.com/",
                "https://example.com%40127.0.0.1@x/",
                "https://example.com:0/",
                "https://example.com:65536/"
            })
    void urlThatIsNotPlainlyHttpsIsRejected(String text) {
        assertThatThrownBy(() -> guard(false).demandAllowed(URI.create(text)))
                .isInstanceOf(EgressRejected.class)
                .message()
                .doesNotContain("secret");
    }

    @Test
    void plainHttpIsAllowedOnlyWhereTheRulesSaySo() {
        URI url = URI.create("http://example.com/");
        assertThatCode(() -> guard(true).demandAllowed(url)).doesNotThrowAnyException();
        assertThatThrownBy(() -> guard(false).demandAllowed(url)).hasMessageContaining("plain HTTP");
        assertThatCode(() -> guard(false).demandAllowed(URI.create("HTTPS://Example.COM:8443/a?b#c")))
                .doesNotThrowAnyException();
        assertThatCode(() -> guard(false).demandAllowed(URI.create("https://[2606:4700::1111]/")))
                .doesNotThrowAnyException();
    }

    @Test
    void namedNetworkAllowsItsAddressesAndNoOthers() {
        EgressGuard guard = guard(false, "10.1.0.0/16", "127.0.0.1/32", "fd00:1::/32");
        assertThat(allows(guard, "10.1.255.255")).isTrue();
        assertThat(allows(guard, "127.0.0.1")).isTrue();
        assertThat(allows(guard, "::ffff:127.0.0.1")).isTrue();
        assertThat(allows(guard, "fd00:1:ffff::1")).isTrue();
        assertThat(allows(guard, "1.1.1.1")).isTrue();
        assertThat(allows(guard, "10.2.0.0")).isFalse();
        assertThat(allows(guard, "127.0.0.2")).isFalse();
        assertThat(allows(guard, "64:ff9b::127.0.0.1")).isFalse();
        assertThat(allows(guard, "fd00:2::1")).isFalse();
    }

    @Test
    void g1_metadataServiceIsRejectedUnlessNamedByItself() {
        assertThat(allows(guard(false, "169.254.0.0/16"), "169.254.1.1")).isTrue();
        assertThat(allows(guard(false, "169.254.0.0/16", "0.0.0.0/0", "fc00::/7"), "169.254.169.254"))
                .isFalse();
        assertThat(allows(guard(false, "fc00::/7", "::/0"), "fd00:ec2::254")).isFalse();
        assertThat(allows(guard(false, "169.254.169.254/32"), "169.254.169.254"))
                .isTrue();
    }

    @Test
    void oneDeniedAddressAmongSeveralRejectsTheHost() {
        assertThat(allows(guard(false), "1.1.1.1", "8.8.8.8")).isTrue();
        assertThat(allows(guard(false), "1.1.1.1", "10.0.0.1")).isFalse();
        assertThat(allows(guard(false), "10.0.0.1", "1.1.1.1")).isFalse();
        assertThat(allows(guard(false, "10.0.0.0/8"), "10.0.0.1", "127.0.0.1")).isFalse();
    }

    @Test
    void rejectionNamesTheRuleAndNoAddress() {
        InetAddress address = Destinations.address("10.9.8.7");
        assertThatThrownBy(() -> guard(false).demandAllowed(List.of(address)))
                .hasMessageContaining("destination crm")
                .hasMessageContaining("private networks")
                .message()
                .doesNotContain("10.9");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.1.2.3/16", "10.1/16",
                "0x0a.0.0.0/8", "010.0.0.0/8", "localhost/8", "fd00::1/64", "fd00::/129", "fe80::1%1/128", ":/8", "/8"
            })
    void networkThatCannotBeReadIsRejected(String text) {
        assertThatThrownBy(() -> guard(false, text))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("\"" + text + "\" is not a network");
    }

    @Test
    void g1_deliveryToADeniedAddressConnectsToNothingAndIsNotRetried() throws InterruptedException {
        try (RawServer internal = RawServer.answering(200);
                Destinations destinations = Destinations.open(name -> List.of(Destinations.address("127.0.0.1")))) {
            EgressRules publicOnly = new EgressRules(true, List.of());
            for (String host : List.of("127.0.0.1", "[::ffff:127.0.0.1]", "internal.test", "localhost")) {
                URI url = URI.create("http://" + host + ":" + internal.port() + "/");
                Failure failure = destinations.failure(Destinations.target(url, Destinations.LONG, publicOnly));
                assertThat(failure).as(host).isNotNull();
                assertThat(failure.category()).isEqualTo(Failure.Category.DISABLED);
                assertThat(failure.category().retried()).isFalse();
                assertThat(failure.reason()).contains("crm", "loopback").doesNotContain("127");
            }
            assertThat(internal.connections()).isZero();
        }
    }

    @Test
    void g1_connectionOfAnotherDestinationIsNotUsedByOneWhoseRulesDenyIt() throws InterruptedException {
        try (RawServer internal = RawServer.answering(200);
                Destinations destinations = Destinations.open()) {
            assertThat(destinations.failure(Destinations.target(internal.url())))
                    .isNull();
            assertThat(internal.openConnections()).isEqualTo(1);
            EgressRules publicOnly = new EgressRules(true, List.of());
            assertThat(destinations.failure(Destinations.target(internal.url(), Destinations.LONG, publicOnly)))
                    .isNotNull();
            assertThat(internal.received()).hasSize(1);
        }
    }

    @Test
    void g2_addressThatWasCheckedIsTheOneConnectedTo() throws InterruptedException {
        AtomicInteger lookups = new AtomicInteger();
        try (RawServer allowed = RawServer.answering(200);
                RawServer internal = RawServer.on(another(allowed.port()), (request, out) -> out.write(1));
                Destinations destinations = Destinations.open(name ->
                        List.of(Destinations.address(lookups.incrementAndGet() == 1 ? "127.0.0.1" : "127.0.0.2")))) {
            EgressRules onlyFirst = new EgressRules(true, List.of("127.0.0.1/32"));
            URI url = URI.create("http://rebinding.test:" + allowed.port() + "/");
            assertThat(destinations.failure(Destinations.target(url, Destinations.LONG, onlyFirst)))
                    .isNull();
            assertThat(lookups).hasValue(1);
            assertThat(allowed.received()).hasSize(1);
            // A destination of its own has no connection yet, so it looks the name up again, and is told the internal
            // address.
            Failure second = destinations.failure(Destinations.target(url, Destinations.LONG, onlyFirst));
            assertThat(second).isNotNull();
            assertThat(second.category()).isEqualTo(Failure.Category.DISABLED);
            assertThat(lookups).hasValue(2);
            assertThat(internal.connections()).isZero();
        }
    }

    @Test
    void g2_nameWithAPublicAndAnInternalAddressIsRejectedAsAWhole() throws InterruptedException {
        try (RawServer internal = RawServer.answering(200);
                Destinations destinations = Destinations.open(
                        name -> List.of(Destinations.address("127.0.0.1"), Destinations.address("127.0.0.2")))) {
            URI url = URI.create("http://both.test:" + internal.port() + "/");
            EgressRules onlyFirst = new EgressRules(true, List.of("127.0.0.1/32"));
            Failure failure = destinations.failure(Destinations.target(url, Destinations.LONG, onlyFirst));
            assertThat(failure).isNotNull();
            assertThat(failure.category()).isEqualTo(Failure.Category.DISABLED);
            assertThat(internal.connections()).isZero();
        }
    }

    @Test
    void lookupThatDiedOfAnErrorFailsItsDeliveryAndNotTheNext() throws InterruptedException {
        AtomicInteger lookups = new AtomicInteger();
        try (RawServer server = RawServer.answering(200);
                Destinations destinations = Destinations.open(name -> {
                    if (lookups.incrementAndGet() == 1) {
                        throw new StackOverflowError("in the resolver");
                    }
                    return List.of(Destinations.address("127.0.0.1"));
                })) {
            URI url = URI.create("http://name.test:" + server.port() + "/");
            HttpDelivery delivery =
                    destinations.delivery(Destinations.target(url, Duration.ofSeconds(30), Destinations.LOOPBACK));
            Failure first = Destinations.failure(delivery);
            assertThat(first).isNotNull();
            assertThat(first.category()).isEqualTo(Failure.Category.NETWORK);
            assertThat(Destinations.failure(delivery)).isNull();
            assertThat(lookups).hasValue(2);
        }
    }

    private static ServerSocket another(int port) {
        try {
            return new ServerSocket(port, 50, InetAddress.getByName("127.0.0.2"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
