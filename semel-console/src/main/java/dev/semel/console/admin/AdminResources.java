package dev.semel.console.admin;

/** What serves the endpoints of one ledger. */
record AdminResources(
        RecordsResource records,
        RecordActions actions,
        DeadResources dead,
        ChannelControls channels,
        Reports reports,
        DeliveryResources delivery) {

    /** Messages that need a person, and the jobs that replay them. */
    record DeadResources(DeadLetters letters, ReplayJobs jobs) {}

    /** What is read of the audit and of the history, and the server itself. */
    record Reports(
            OverviewResource overview,
            AuditResource audit,
            RetriesResource retries,
            DeliveriesResource deliveries,
            ServerResource server,
            ReportLimit limit) {}

    /** Destinations of the server, and the jobs that fill its routes. */
    record DeliveryResources(DestinationsResource destinations, RouteFillJobs fills) {}

    static AdminResources of(AdminLedger ledger, ServerActions server) {
        return new AdminResources(
                new RecordsResource(ledger),
                new RecordActions(ledger),
                new DeadResources(new DeadLetters(ledger), new ReplayJobs(ledger)),
                new ChannelControls(ledger),
                new Reports(
                        new OverviewResource(ledger, server),
                        new AuditResource(ledger),
                        new RetriesResource(ledger),
                        new DeliveriesResource(ledger),
                        new ServerResource(ledger, server),
                        new ReportLimit()),
                new DeliveryResources(new DestinationsResource(ledger, server), new RouteFillJobs(ledger, server)));
    }
}
