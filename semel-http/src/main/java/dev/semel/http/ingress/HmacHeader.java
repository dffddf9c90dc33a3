package dev.semel.http.ingress;

import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;

/**
 * A header with an HMAC of the raw body, for senders without a scheme of their own:
 *
 * <pre>{@code
 * HmacHeader.of("X-Signature").withPrefix("sha512=").withAlgorithm(HmacHeader.Algorithm.SHA512)
 * }</pre>
 *
 * @param name of the header
 * @param algorithm SHA-256 unless set
 * @param encoding hexadecimal unless set
 * @param prefix text in front of the signature, such as {@code sha256=}; empty unless set
 */
public record HmacHeader(String name, Algorithm algorithm, Encoding encoding, String prefix) {

    /** HMAC-SHA-256 of the body in hexadecimal, without a prefix. */
    public static HmacHeader of(String name) {
        return new HmacHeader(name, Algorithm.SHA256, Encoding.HEX, "");
    }

    /** The hash of the HMAC. */
    public HmacHeader withAlgorithm(Algorithm value) {
        return new HmacHeader(name, value, encoding, prefix);
    }

    /** How the sender writes the bytes of the HMAC. */
    public HmacHeader withEncoding(Encoding value) {
        return new HmacHeader(name, algorithm, value, prefix);
    }

    /** Text in front of the signature. A header without it is refused. */
    public HmacHeader withPrefix(String value) {
        return new HmacHeader(name, algorithm, encoding, value);
    }

    /** The hash of an HMAC. */
    public enum Algorithm {
        SHA256("HmacSHA256"),
        SHA512("HmacSHA512");

        private final String mac;

        Algorithm(String mac) {
            this.mac = mac;
        }

        /** As the Java Cryptography Architecture calls it. */
        String mac() {
            return mac;
        }
    }

    /** How bytes are written in a header. */
    public enum Encoding {
        /** Either case. */
        HEX {
            @Override
            String encoded(byte[] bytes) {
                return HexFormat.of().formatHex(bytes);
            }

            @Override
            String comparable(String given) {
                return given.toLowerCase(Locale.ROOT);
            }
        },
        /** With padding, in the alphabet of RFC 4648, section 4. */
        BASE64 {
            @Override
            String encoded(byte[] bytes) {
                return Base64.getEncoder().encodeToString(bytes);
            }

            @Override
            String comparable(String given) {
                return given;
            }
        };

        abstract String encoded(byte[] bytes);

        /** In the form that {@link #encoded} gives. */
        abstract String comparable(String given);
    }
}
