package dev.semel.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.server.config.CidrNetwork;
import dev.semel.server.config.DestinationConfig.EgressRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** No text of a denied address passes the guard, however it is written. */
class EgressPropertiesTest {
    private static final List<String> DENIED = List.of(
            "127.0.0.0/8",
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "169.254.0.0/16",
            "100.64.0.0/10",
            "0.0.0.0/8",
            "224.0.0.0/4",
            "240.0.0.0/4",
            "198.18.0.0/15");

    /** Ways to write a number that programs read as part of an address. */
    private enum Notation {
        DECIMAL {
            @Override
            String of(long value) {
                return Long.toString(value);
            }
        },
        OCTAL {
            @Override
            String of(long value) {
                return "0" + Long.toOctalString(value);
            }
        },
        HEXADECIMAL {
            @Override
            String of(long value) {
                return "0x" + Long.toHexString(value);
            }
        },
        PADDED {
            @Override
            String of(long value) {
                return "0" + value;
            }
        };

        abstract String of(long value);
    }

    @Property(tries = 3_000)
    void g1_noTextOfADeniedAddressPasses(@ForAll("texts") String host) {
        assertThat(passes(host)).as(host).isFalse();
    }

    /** As a delivery does it: the URL first, then what the machine's resolver makes of its host. */
    private static boolean passes(String host) {
        EgressGuard guard = EgressGuard.of("crm", EgressRules.PUBLIC);
        try {
            URI url = new URI("https://" + host + "/");
            guard.demandAllowed(url);
            guard.demandAllowed(List.of(InetAddress.getAllByName(url.getHost())));
            return true;
        } catch (URISyntaxException | IOException rejected) {
            return false;
        }
    }

    @Provide
    Arbitrary<String> texts() {
        Arbitrary<Long> addresses = Arbitraries.of(DENIED).flatMap(network -> {
            CidrNetwork cidr = CidrNetwork.of(network);
            long base = number(cidr.base());
            return Arbitraries.longs().between(base, base + (1L << 32 - cidr.prefix()) - 1);
        });
        Arbitrary<List<Notation>> notations =
                Arbitraries.of(Notation.class).list().ofSize(4);
        return Combinators.combine(addresses, Arbitraries.integers().between(0, 13), notations)
                .as(EgressPropertiesTest::written);
    }

    private static String written(long address, int form, List<Notation> notations) {
        long a = address >> 24;
        long b = address >> 16 & 0xff;
        long c = address >> 8 & 0xff;
        long d = address & 0xff;
        String plain = a + "." + b + "." + c + "." + d;
        String high = Long.toHexString(address >> 16);
        String low = Long.toHexString(address & 0xffff);
        Notation first = notations.get(0);
        return switch (form) {
            case 0 -> plain;
            case 1 -> first.of(address);
            case 2 -> first.of(a) + "." + notations.get(1).of(address & 0xffffff);
            case 3 ->
                first.of(a) + "." + notations.get(1).of(b) + "."
                        + notations.get(2).of(address & 0xffff);
            case 4 ->
                first.of(a) + "." + notations.get(1).of(b) + "."
                        + notations.get(2).of(c) + "." + notations.get(3).of(d);
            case 5 -> plain + ".";
            case 6 -> "[::ffff:" + plain + "]";
            case 7 -> "[::ffff:" + high + ":" + low + "]";
            case 8 -> "[64:ff9b::" + plain + "]";
            case 9 -> "[::" + plain + "]";
            case 10 -> "[2002:" + high + ":" + low + "::1]";
            case 11 -> plain.replace('.', '\u3002');
            case 12 -> plain.chars().mapToObj(EgressPropertiesTest::escaped).reduce("", String::concat);
            default -> "[0:0:0:0:0:FFFF:" + high.toUpperCase(Locale.ROOT) + ":" + low + "%25eth0]";
        };
    }

    private static String escaped(int character) {
        return "%" + Integer.toHexString(character);
    }

    private static long number(byte[] address) {
        long number = 0;
        for (byte each : address) {
            number = number << 8 | each & 0xff;
        }
        return number;
    }
}
