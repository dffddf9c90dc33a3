package dev.semel.jdbc.shared;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Takes a text of SQL apart into its statements, and each into its words: enough to tell what kind of statement it is, not what
 * it says. Comments and the insides of strings are left out.
 */
final class SqlText {
    /** Stands for a string among the words. */
    static final String STRING = "'";

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final String text;
    private final SqlNotation notation;
    private final List<List<String>> statements = new ArrayList<>();
    private List<String> words = new ArrayList<>();
    private int at;
    private boolean body;
    private boolean bodyStatementBegins;

    private SqlText(String text, SqlNotation notation) {
        this.text = text;
        this.notation = notation;
    }

    /** The words of each statement: upper case, quoted names without their quotes; {@code =} and {@code (} are words, too. */
    static List<List<String>> statements(String text, SqlNotation notation) {
        return new SqlText(text, notation).read();
    }

    private List<List<String>> read() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (text.startsWith("--", at)) {
                skipLine(at + 2);
            } else if (text.startsWith("/*", at)) {
                skipComment();
            } else if (c == '\'') {
                skipString(backslashesEscape());
                word(STRING);
            } else if (notation.nameQuotes().indexOf(c) >= 0) {
                quotedName(c == '[' ? ']' : c);
            } else if (c == '$' && notation.dollarQuotes() && dollarQuote()) {
                word(STRING);
            } else if (isPartOfWord(c)) {
                plainWord();
            } else {
                sign(c);
                at++;
            }
        }
        endStatement();
        return statements;
    }

    private void sign(char c) {
        if (c == ';') {
            bodyStatementBegins = true;
            if (!body) {
                endStatement();
            }
        } else if (c == '=' || c == '(') {
            word(String.valueOf(c));
        }
    }

    private void endStatement() {
        if (!words.isEmpty()) {
            statements.add(words);
            words = new ArrayList<>();
        }
        body = false;
    }

    /** The body of a trigger or a function has statements of its own, up to an END that begins one. */
    private void word(String word) {
        words.add(word);
        if (!body) {
            body = opensBody();
        } else if (bodyStatementBegins && word.equals("END")) {
            body = false;
        }
        bodyStatementBegins = false;
    }

    private boolean opensBody() {
        return words.get(0).equals("CREATE") && notation.body().isLast(words);
    }

    private void plainWord() {
        int start = at;
        while (at < text.length() && isPartOfWord(text.charAt(at))) {
            at++;
        }
        word(text.substring(start, at).toUpperCase(Locale.ROOT));
    }

    private static boolean isPartOfWord(char c) {
        return c >= 'a' && c <= 'z'
                || c >= 'A' && c <= 'Z'
                || c >= '0' && c <= '9'
                || c == '_'
                || c == '$'
                || c >= 0x80 && c != BYTE_ORDER_MARK;
    }

    private void quotedName(char end) {
        int start = at + 1;
        at = start;
        skipQuoted(end, false);
        word(text.substring(start, Math.max(start, Math.min(at - 1, text.length())))
                .toUpperCase(Locale.ROOT));
    }

    /** In E'...'. */
    private boolean backslashesEscape() {
        boolean marked = notation.escapeStrings() && at > 0 && (text.charAt(at - 1) | 0x20) == 'e';
        return marked && (at == 1 || !isPartOfWord(text.charAt(at - 2)));
    }

    private void skipString(boolean backslashes) {
        at++;
        skipQuoted('\'', backslashes);
    }

    private void skipQuoted(char end, boolean backslashes) {
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (backslashes && c == '\\') {
                at++;
            } else if (c == end) {
                boolean doubled = end != ']' && at < text.length() && text.charAt(at) == end;
                if (!doubled) {
                    return;
                }
                at++;
            }
        }
    }

    private void skipComment() {
        if (!notation.nestedComments()) {
            skipBehind("*/", at + 2);
            return;
        }
        int depth = 0;
        do {
            if (text.startsWith("/*", at)) {
                depth++;
                at += 2;
            } else if (text.startsWith("*/", at)) {
                depth--;
                at += 2;
            } else {
                at++;
            }
        } while (depth > 0 && at < text.length());
    }

    private boolean dollarQuote() {
        int end = at + 1;
        while (end < text.length() && text.charAt(end) != '$' && isPartOfWord(text.charAt(end))) {
            end++;
        }
        boolean quote = end < text.length() && text.charAt(end) == '$' && !Character.isDigit(text.charAt(at + 1));
        if (quote) {
            skipBehind(text.substring(at, end + 1), end + 1);
        }
        return quote;
    }

    private void skipLine(int from) {
        int end = from;
        while (end < text.length() && notation.lineEnds().indexOf(text.charAt(end)) < 0) {
            end++;
        }
        at = Math.min(text.length(), end + 1);
    }

    private void skipBehind(String end, int from) {
        int found = text.indexOf(end, from);
        at = found < 0 ? text.length() : found + end.length();
    }
}
