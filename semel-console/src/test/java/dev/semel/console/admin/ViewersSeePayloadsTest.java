package dev.semel.console.admin;

import static dev.semel.console.admin.AdminServer.OPERATOR;
import static dev.semel.console.admin.AdminServer.VIEWER;
import static dev.semel.console.admin.AdminServer.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.admin.AdminServer.LedgerKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** What people who may only look see of contents, with the setting and without. */
class ViewersSeePayloadsTest {
    private static final String LOST = "/records/" + id("acme", "mail", "lost-1");

    private AdminServer server;

    @BeforeEach
    void start() {
        server = LedgerKind.SQLITE.start().withTrouble().withShadow();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void payloadsAreHiddenFromViewersUnlessTheSettingAllowsThem() {
        JsonNode hidden = server.get(VIEWER, LOST).json();
        assertThat(hidden.has("payload")).isFalse();
        assertThat(hidden.path("contents_hidden").asBoolean()).isTrue();
        assertThat(server.get(OPERATOR, LOST).json().path("contents_hidden").asBoolean())
                .isFalse();
        server.viewersSeePayloads = true;
        JsonNode shown = server.get(VIEWER, LOST).json();
        assertThat(shown.path("contents_hidden").asBoolean()).isFalse();
        assertThat(shown.path("payload").asString()).contains("unreachable").doesNotContain("s3cret");
        assertThat(server.get(VIEWER, "/shadow").json().toString()).contains("\"payload\"");
    }

    @Test
    void settingLetsViewersDoNothingMore() {
        server.viewersSeePayloads = true;
        assertThat(server.post(VIEWER, LOST + "/replay", "{\"reason\":\"r\"}").status())
                .isEqualTo(403);
    }
}
