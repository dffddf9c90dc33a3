package dev.semel.server.delivery;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Resolves names. Called on a thread that may block. */
@FunctionalInterface
interface NameLookup {
    /** By the machine's resolver. */
    NameLookup SYSTEM = name -> List.of(InetAddress.getAllByName(name));

    /** @throws UnknownHostException when the name has no address */
    List<InetAddress> addresses(String name) throws UnknownHostException;
}
