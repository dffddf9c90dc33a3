package dev.semel.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.console.access.Role;
import dev.semel.server.access.LocalUser;
import dev.semel.server.oidc.OidcSettings;
import dev.semel.server.oidc.RoleGrant;
import dev.semel.server.session.OperatorSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of the file that say who may operate the server. */
class OperatorFaultsTest {
    private static final String OIDC = """
            oidc:
              issuer: https://login.example/realm
              audience: [semel, other]
              roles:
                "/semel/admins": {role: admin, all-tenants: true}
                ops: {role: operator, tenant: acme}
            """;

    @TempDir
    private Path directory;

    private List<String> faults(String text) {
        return SampleConfig.faults(directory, SampleConfig.SMALL + text);
    }

    private OperatorSettings operators(String text) {
        return SampleConfig.config(directory, SampleConfig.SMALL + text).operators();
    }

    private void assertOneFault(String text, String fault) {
        assertThat(faults(text)).singleElement().asString().contains(fault).doesNotContain("HUNTER");
    }

    @Test
    void h1_fileWithoutUsersLetsOperatorsInFromItsMachineOnly() {
        assertThat(operators("")).isEqualTo(OperatorSettings.NONE);
        assertThat(operators("").isLoopbackOnly()).isTrue();
    }

    @Test
    void viewersSeeNoPayloadsUnlessTheFileSaysSo() {
        assertThat(operators("").viewersSeePayloads()).isFalse();
        assertThat(operators("viewers-see-payloads: true\n").viewersSeePayloads())
                .isTrue();
        assertOneFault("viewers-see-payloads: perhaps\n", "viewers-see-payloads");
    }

    @Test
    void usersHaveRolesTenantsAndSeveralSecrets() {
        OperatorSettings operators = operators("""
                users:
                  alice:
                    secrets: ["${env:ALICE_SECRET}", "${env:ALICE_NEXT_SECRET}"]
                    role: admin
                    all-tenants: true
                  bob: {secrets: "${env:BOB_SECRET}", role: viewer, tenant: acme}
                sessions: {idle: 5m, longest: 1h, per-user: 2, cookies: always-secure}
                """);
        assertThat(operators.users())
                .containsExactly(
                        new LocalUser(
                                "alice",
                                List.of("aliceHUNTERsecret0123456789", "aliceHUNTERnextsecret0123456789"),
                                Role.ADMIN,
                                null),
                        new LocalUser("bob", List.of("bobHUNTERsecret0123456789"), Role.VIEWER, Tenant.of("acme")));
        assertThat(operators.sessions().idle()).isEqualTo(Duration.ofMinutes(5));
        assertThat(operators.sessions().secureCookies()).isTrue();
        assertThat(operators.isLoopbackOnly()).isFalse();
        assertThat(operators.toString()).doesNotContain("HUNTER");
    }

    @Test
    void providerIsReadWithItsDefaults() {
        OidcSettings oidc = operators(OIDC).oidc();
        assertThat(oidc).isNotNull();
        assertThat(oidc.audiences()).containsExactly("semel", "other");
        assertThat(oidc.algorithms()).containsExactlyInAnyOrder("RS256", "PS256", "ES256");
        assertThat(oidc.tolerance()).isEqualTo(Duration.ofMinutes(1));
        assertThat(oidc.provider().jwksUrl()).isNull();
        assertThat(oidc.claims().name()).isEqualTo("sub");
        assertThat(oidc.claims().grants())
                .containsExactly(
                        new RoleGrant("/semel/admins", Role.ADMIN, null, true),
                        new RoleGrant("ops", Role.OPERATOR, Tenant.of("acme"), false));
    }

    @Test
    void allFaultsAreNamedAtOnceWithTheirLinesAndWithoutSecrets() {
        List<String> faults = faults("""
                users:
                  alice: {secrets: plainHUNTERtext, role: root}
                  bob: {secrets: "${env:BAD}", role: viewer, tenant: acme, all-tenants: true}
                  carol: {secrets: "${env:BAD}", role: viewer, all-tenants: true}
                oidc:
                  issuer: http://login.example
                  algorithms: [none, HS256, RS256]
                  roles:
                    ops: {role: operator}
                  colour: red
                sessions: {idle: 10s, cookies: never}
                """);
        assertThat(faults.toString()).doesNotContain("HUNTER");
        assertThat(faults)
                .anyMatch(each -> each.startsWith("14:") && each.contains("must not be written in the file"))
                .anyMatch(each -> each.startsWith("14:") && each.contains("write viewer, operator or admin"))
                .anyMatch(each -> each.startsWith("14:") && each.contains("write the name of a tenant"))
                .anyMatch(each -> each.startsWith("15:") && each.contains("remove one of them"))
                .anyMatch(each -> each.startsWith("16:") && each.contains("its secret has 14 characters"))
                .anyMatch(each -> each.startsWith("17:") || each.startsWith("18:") && each.contains("'audience'"))
                .anyMatch(each -> each.startsWith("18:") && each.contains("is not HTTPS"))
                .anyMatch(each -> each.startsWith("19:") && each.contains("'none': not accepted"))
                .anyMatch(each -> each.startsWith("19:") && each.contains("'HS256': not accepted"))
                .anyMatch(each -> each.startsWith("21:") && each.contains("'tenant-claim' of 'oidc'"))
                .anyMatch(each -> each.startsWith("22:") && each.contains("unknown setting 'colour'"))
                .anyMatch(each -> each.startsWith("23:") && each.contains("write 1m to 24h"))
                .anyMatch(each -> each.startsWith("23:") && each.contains("tls or always-secure"));
    }

    @Test
    void secretOfTwoUsersOrOfAUserAndATokenIsAFault() {
        String user = "  %s: {secrets: \"${env:ALICE_SECRET}\", role: viewer, all-tenants: true}\n";
        assertOneFault("users:\n" + user.formatted("a") + user.formatted("b"), "is that of another user");
        assertOneFault(
                "tokens:\n  shop: {secret: \"${env:ALICE_SECRET}\", tenant: acme, scopes: [run]}\nusers:\n"
                        + user.formatted("a"),
                "is that of a token of the API");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://login.example",
                "http://127.0.0.1.evil.example",
                "ftp://login.example",
                "https://user@login.example",
                "https://login.example#x",
                "https://login.example?x=y",
                "https:///x",
                "login.example",
                "https://login.example:99999"
            })
    void issuerThatIsNotHttpsIsAFaultAlsoWhereLoopbackIsAllowed(String issuer) {
        String text = OIDC.replace("https://login.example/realm", issuer);
        assertOneFault(text, "'issuer' of 'oidc'");
        assertOneFault(text + "  loopback-http: true\n", "'issuer' of 'oidc'");
    }

    @ParameterizedTest
    @CsvSource({"http://127.0.0.1:8081/realm", "http://localhost/realm", "http://[::1]:1/realm"})
    void plainHttpToThisMachineMustBeAllowed(String issuer) {
        String text = OIDC.replace("https://login.example/realm", issuer);
        assertOneFault(text, "loopback-http: true");
        assertThat(faults(text + "  loopback-http: true\n")).isEmpty();
    }

    @Test
    void providerWithoutRolesIsAFault() {
        assertOneFault("oidc: {issuer: \"https://a.example\", audience: a, roles: {}}\n", "lets nobody in");
        assertOneFault("oidc: {issuer: \"https://a.example\", audience: a}\n", "'roles' of 'oidc' is missing");
    }
}
