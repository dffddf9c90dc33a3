package dev.semel.server.api;

/** What the endpoints of one server have in common. */
record ApiResources(OperationsResource operations, StepsResource steps, ChannelsResource channels, WorkResource work) {}
