package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DeliveriesCheckTest {
    @TempDir
    private Path directory;

    private SampleShop shop;

    @BeforeEach
    void keepAShop() {
        shop = SampleShop.in(directory).withOrders();
    }

    @Test
    void missingDeliveriesAreFound() throws IOException {
        Path file = write(
                "{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"o-1\"}",
                "",
                "{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"o-3\"}",
                "{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"o-2\","
                        + "\"payload\":{\"token\":\"s3cret\",\"to\":\"nobody\",\"order\":\"o-2\"}}",
                "{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"o-2\",\"payload\":{\"to\":\"ann\"}}");
        Shell shell = check(file);
        assertThat(shell.err()).isEmpty();
        assertThat(shell.exit()).isEqualTo(1);
        assertThat(shell.out())
                .containsPattern("seen +4\n")
                .containsPattern("found +2\n")
                .containsPattern("MISSING +mail +acme +o-3 ")
                .containsPattern("CONFLICTING +mail +acme +o-2 ");
        JsonNode json = JsonMapper.shared().readTree(check(file, "--json").out());
        assertThat(json.get("missing").asInt()).isEqualTo(1);
        assertThat(json.get("findings").get(0).get("record").asString()).hasSize(64);
    }

    @Test
    void completeDeliveriesPass() throws IOException {
        Shell shell = check(write("{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"o-1\"}"));
        assertThat(shell.exit()).isZero();
        assertThat(shell.out()).containsPattern("missing +0");
    }

    @Test
    void moreThanAPageIsLookedUp() throws IOException {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 1_234; i++) {
            lines.add("{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"k-" + i + "\"}");
        }
        Shell shell = check(write(lines.toArray(String[]::new)));
        assertThat(shell.out()).containsPattern("missing +1234\n").contains("... and more.");
    }

    @Test
    void invalidLineIsBadInput() throws IOException {
        Shell broken = check(write("{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"o-1\"}", "{oops"));
        assertThat(broken.exit()).isEqualTo(2);
        assertThat(broken.err()).contains("Line 2 of", "is not JSON");
        Shell partial = check(write("{\"tenant\":\"acme\",\"key\":\"o-1\"}"));
        assertThat(partial.exit()).isEqualTo(2);
        assertThat(partial.err()).contains("Line 1 of", "\"channel\" is missing");
        assertThat(check(directory.resolve("none.jsonl")).exit()).isEqualTo(2);
        assertThat(semel("deliveries", "check", "--store", shop.url()).exit()).isEqualTo(2);
    }

    private Path write(String... lines) throws IOException {
        return Files.write(directory.resolve("delivered.jsonl"), List.of(lines));
    }

    private Shell check(Path file, String... more) {
        List<String> all =
                new ArrayList<>(List.of("deliveries", "check", "--file", file.toString(), "--store", shop.url()));
        all.addAll(List.of(more));
        return semel(all.toArray(String[]::new));
    }
}
