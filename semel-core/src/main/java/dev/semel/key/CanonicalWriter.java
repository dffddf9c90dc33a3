package dev.semel.key;

import dev.semel.SemelException;
import java.math.BigInteger;
import java.util.Arrays;

/**
 * The scalars of canonical JSON, into a buffer that grows. A number is written as its shortest whole significand and, unless
 * that is zero, a power of ten: 1.50 is {@code 15e-1}, 100 is {@code 1e2}. Only its text is looked at, so that every number
 * costs what its text costs.
 */
final class CanonicalWriter {
    /** A longer exponent is an attack on the reader, not a number. */
    static final int LONGEST_EXPONENT = 1_000;

    private static final int FITS_LONG = 18;
    private static final int LONGEST_ESCAPE = 6;
    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};

    private final String subject;
    private byte[] buffer;
    private int size;

    CanonicalWriter(String subject, int expected) {
        this.subject = subject;
        this.buffer = new byte[expected];
    }

    int size() {
        return size;
    }

    byte[] toBytes() {
        return Arrays.copyOf(buffer, size);
    }

    byte[] copy(int from, int to) {
        return Arrays.copyOfRange(buffer, from, to);
    }

    /** Whether exactly this was written from there on. */
    boolean endsWith(int from, byte[] expected) {
        return Arrays.equals(buffer, from, size, expected, 0, expected.length);
    }

    void cutTo(int length) {
        size = length;
    }

    void put(char ascii) {
        reserve(1);
        buffer[size++] = (byte) ascii;
    }

    void put(byte[] bytes, int from, int to) {
        reserve(to - from);
        System.arraycopy(bytes, from, buffer, size, to - from);
        size += to - from;
    }

    void ascii(String text) {
        int length = text.length();
        reserve(length);
        for (int i = 0; i < length; i++) {
            buffer[size++] = (byte) text.charAt(i);
        }
    }

    void string(String text) {
        int length = text.length();
        reserve(length + 2);
        buffer[size++] = '"';
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
                buffer[size++] = (byte) c;
            } else {
                reserve(LONGEST_ESCAPE + length - i);
                if (Character.isSurrogate(c)) {
                    supplementary(text, i++);
                } else if (c >= 0x7f) {
                    utf8(c);
                } else {
                    escape(c);
                }
            }
        }
        buffer[size++] = '"';
    }

    private void supplementary(String text, int at) {
        int point = text.codePointAt(at);
        if (!Character.isSupplementaryCodePoint(point)) {
            throw new SemelException.Invalid(
                    "The JSON of " + subject + " has a string with half of a surrogate pair at" + " position " + at
                            + ": such text cannot be stored faithfully. Repair the text before it is sent.");
        }
        buffer[size++] = (byte) (0xf0 | point >> 18);
        buffer[size++] = (byte) (0x80 | point >> 12 & 0x3f);
        buffer[size++] = (byte) (0x80 | point >> 6 & 0x3f);
        buffer[size++] = (byte) (0x80 | point & 0x3f);
    }

    private void utf8(char c) {
        if (c < 0x80) {
            buffer[size++] = (byte) c;
        } else if (c < 0x800) {
            buffer[size++] = (byte) (0xc0 | c >> 6);
            buffer[size++] = (byte) (0x80 | c & 0x3f);
        } else {
            buffer[size++] = (byte) (0xe0 | c >> 12);
            buffer[size++] = (byte) (0x80 | c >> 6 & 0x3f);
            buffer[size++] = (byte) (0x80 | c & 0x3f);
        }
    }

    private void escape(char c) {
        buffer[size++] = '\\';
        switch (c) {
            case '"', '\\' -> buffer[size++] = (byte) c;
            case '\b' -> buffer[size++] = 'b';
            case '\t' -> buffer[size++] = 't';
            case '\n' -> buffer[size++] = 'n';
            case '\f' -> buffer[size++] = 'f';
            case '\r' -> buffer[size++] = 'r';
            default -> {
                buffer[size++] = 'u';
                buffer[size++] = '0';
                buffer[size++] = '0';
                buffer[size++] = HEX[c >> 4];
                buffer[size++] = HEX[c & 0xf];
            }
        }
    }

    /** The text must be a number by JSON's grammar. */
    void number(char[] text, int from, int length) {
        int end = from + length;
        int point = -1;
        int mantissaEnd = end;
        int first = -1;
        int last = -1;
        for (int i = from; i < mantissaEnd; i++) {
            char c = text[i];
            if (c >= '1' && c <= '9') {
                first = first < 0 ? i : first;
                last = i;
            } else if (c == '.') {
                point = i;
            } else if (c == 'e' || c == 'E') {
                mantissaEnd = i;
            }
        }
        if (first < 0) {
            put('0');
            return;
        }
        point = point < 0 ? mantissaEnd : point;
        reserve(length);
        if (text[from] == '-') {
            buffer[size++] = '-';
        }
        for (int i = first; i <= last; i++) {
            if (i != point) {
                buffer[size++] = (byte) text[i];
            }
        }
        exponent(text, mantissaEnd + 1, end, last < point ? point - 1 - last : point - last);
    }

    /** Writes the power of ten in the text from..end (none when it is empty), moved by {@code shift}. */
    private void exponent(char[] text, int from, int end, int shift) {
        boolean signed = from < end && (text[from] == '-' || text[from] == '+');
        boolean negative = signed && text[from] == '-';
        int digits = signed ? from + 1 : from;
        while (digits < end && text[digits] == '0') {
            digits++;
        }
        if (end - digits > LONGEST_EXPONENT) {
            throw new SemelException.Invalid("The JSON of " + subject + " has a number whose exponent has "
                    + (end - digits) + " digits: at most " + LONGEST_EXPONENT + " are read. Send it as a string.");
        }
        if (end - digits > FITS_LONG) {
            BigInteger power = new BigInteger(new String(text, digits, end - digits));
            put('e');
            ascii((negative ? power.negate() : power)
                    .add(BigInteger.valueOf(shift))
                    .toString());
            return;
        }
        long power = 0;
        for (int i = digits; i < end; i++) {
            power = power * 10 + (text[i] - '0');
        }
        power = (negative ? -power : power) + shift;
        if (power != 0) {
            put('e');
            ascii(Long.toString(power));
        }
    }

    private void reserve(int more) {
        if (buffer.length - size < more) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, Math.addExact(size, more)));
        }
    }
}
