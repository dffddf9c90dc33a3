package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final StringWriter err = new StringWriter();

    @Test
    void barIsDrawnInPlaceAndLeavesACleanLine() {
        try (Progress progress = new Progress(new PrintWriter(err), true, "record", 1_200)) {
            progress.at(0);
            progress.at(1_200);
        }
        assertThat(err.toString())
                .contains("[" + "-".repeat(30) + "]   0 %  0 of 1,200 records")
                .contains("\r\u001b[K[" + "#".repeat(30) + "] 100 %  1,200 of 1,200 records")
                .endsWith("\r\u001b[K");
    }

    @Test
    void workOfUnknownLengthIsCounted() {
        try (Progress progress = new Progress(new PrintWriter(err), true, "event", 0)) {
            progress.at(1);
        }
        assertThat(err.toString()).contains("1 event");
    }

    @Test
    void withoutATerminalOnlyMessagesArePrinted() {
        try (Progress progress = new Progress(new PrintWriter(err, true), false, "record", 10)) {
            progress.at(5);
            progress.say("a word");
        }
        assertThat(err.toString()).isEqualToIgnoringNewLines("a word");
    }
}
