package dev.semel.server.access;

/** What clients are counted by: an IPv4 address, or the first 64 bits of an IPv6 address, because one host can have all of that network. */
public final class ClientNetwork {
    private ClientNetwork() {}

    /** @param address as text, with or without brackets */
    public static String of(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        String[] groups = address.replace("[", "").split(":", -1);
        StringBuilder network = new StringBuilder();
        for (int i = 0; i < Math.min(4, groups.length) && !groups[i].isEmpty(); i++) {
            network.append(groups[i]).append(':');
        }
        return network.isEmpty() ? address : network.toString();
    }
}
