package dev.semel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What came from elsewhere moves no cursor and turns no line. */
class ScreenTest {
    @Test
    void controlCharactersAndMarksThatTurnTheReadingDirectionAreNotPrinted() {
        assertThat(Screen.plain("a\u001b[2Jb\u0085c")).isEqualTo("a?[2Jb?c");
        for (char mark : "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069".toCharArray()) {
            assertThat(Screen.plain("ann" + mark + "nimda")).isEqualTo("ann?nimda");
        }
        String letters = "Zo\u00eb, \u05e9\u05e8\u05d4";
        assertThat(Screen.plain(letters)).isEqualTo(letters);
    }
}
