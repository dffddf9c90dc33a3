package dev.semel.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalRequestTest {
    private static HttpServletRequest from(String address, String... headers) {
        return (HttpServletRequest) Proxy.newProxyInstance(
                HttpServletRequest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "getRemoteAddr" -> address;
                    case "getHeaderNames" -> Collections.enumeration(List.of(headers));
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1", "[::1]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"})
    void h1_loopbackIsThisMachineUnlessAProxyPassedTheRequestOn(String address) {
        assertThat(LocalRequest.isLocal(from(address, "Host", "Accept"))).isTrue();
        for (String header : List.of("Forwarded", "X-FORWARDED-FOR", "X-Forwarded-Host", "Via", "X-Real-IP")) {
            assertThat(LocalRequest.isLocal(from(address, "Host", header)))
                    .as(header)
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"10.0.0.1", "192.0.2.1", "0.0.0.0", "169.254.169.254", "2001:db8::1", "fe80::1", "::", "::2"})
    void h1_otherAddressesAreNotThisMachine(String address) {
        assertThat(LocalRequest.isLocal(from(address))).isFalse();
    }
}
