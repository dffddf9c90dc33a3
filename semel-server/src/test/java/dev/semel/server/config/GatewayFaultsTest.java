package dev.semel.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GatewayFaultsTest {
    @TempDir
    private Path directory;

    private List<String> faults(String gateways) {
        return SampleConfig.faults(directory, SampleConfig.SMALL + "gateways:\n" + gateways);
    }

    @Test
    void allFaultsOfAGatewayAreNamedWithTheirLines() {
        List<String> faults = faults("""
                  shop:
                    path: /in/7f3a9c1e5b2d4068
                    upstream: ftp://shop.example
                    callers: anybody
                    templates: ["orders", "/a/{x}", "/a/{y}"]
                    repeatable: true
                    probe: /requests/key
                    timeout: 40s
                    requests: 151
                    colour: red
                """);
        assertThat(faults).anyMatch(each -> each.startsWith("15:") && each.contains("needs a path of its own"));
        assertThat(faults).anyMatch(each -> each.startsWith("16:") && each.contains("must begin with https://"));
        assertThat(faults).anyMatch(each -> each.startsWith("17:") && each.contains("token or upstream"));
        assertThat(faults).anyMatch(each -> each.startsWith("18:") && each.contains("not a template"));
        assertThat(faults).anyMatch(each -> each.startsWith("18:") && each.contains("given twice"));
        assertThat(faults).anyMatch(each -> each.startsWith("20:") && each.contains("not the path of a probe"));
        assertThat(faults).anyMatch(each -> each.startsWith("21:") && each.contains("attempt-timeout"));
        assertThat(faults).anyMatch(each -> each.startsWith("22:") && each.contains("from 1 to 150"));
        assertThat(faults).anyMatch(each -> each.startsWith("23:") && each.contains("unknown setting 'colour'"));
    }

    @Test
    void gatewayForTokensNeedsTokensAndOneForTheUpstreamNeedsATenant() {
        assertThat(faults("  a: {path: /a, upstream: \"https://a.example\"}\n"))
                .singleElement()
                .asString()
                .contains("there are no tokens");
        assertThat(faults("  a: {path: /a, upstream: \"https://a.example\", callers: upstream}\n"))
                .singleElement()
                .asString()
                .contains("needs the tenant");
    }

    @Test
    void gatewaysTogetherMayNotUseAllThreads() {
        String one =
                "  %s: {path: /%s, upstream: \"https://a.example\", callers: upstream, tenant: t, requests: 100}\n";
        assertThat(faults(one.formatted("a", "a"))).isEmpty();
        assertThat(faults(one.formatted("a", "a") + one.formatted("b", "b")))
                .singleElement()
                .asString()
                .contains("all gateways together");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://user:pw@a.example",
                "https://a.example/x?y=z",
                "https://a.example/x#y",
                "https://a.example/../x",
                "https://a.example/%2e%2e",
                "https:///x",
                "a.example"
            })
    void upstreamThatIsNotAPlainUrlIsRejected(String url) {
        assertThat(faults("  a: {path: /a, upstream: \"" + url + "\", callers: upstream, tenant: t}\n"))
                .hasSize(1);
    }
}
