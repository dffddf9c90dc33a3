package dev.semel.server.console;

/** Every page of the console. */
enum ConsoleAddress {
    OVERVIEW("#/", "Overview"),
    RECORDS("#/records", "Operations"),
    RECORD("#/records/" + TroubledLedger.id("acme", "order", "o-1"), "order"),
    DEAD("#/dead", "Dead letters"),
    DEAD_OF_A_CAUSE("#/dead?operation=mail&category=network", "Dead letters"),
    CHANNELS("#/channels", "Channels"),
    LANE("#/channels?channel=crm&tenant=acme&lane=o-7", "Channels"),
    MODES("#/modes", "Modes"),
    SERVER("#/server", "Server"),
    AUDIT("#/audit", "Audit"),
    RETRIES("#/retries", "Retries"),
    POLICIES("#/policies", "Policies"),
    DOCTOR("#/doctor", "Doctor");

    private final String address;
    private final String heading;

    ConsoleAddress(String address, String heading) {
        this.address = address;
        this.heading = heading;
    }

    String address() {
        return address;
    }

    String heading() {
        return heading;
    }
}
