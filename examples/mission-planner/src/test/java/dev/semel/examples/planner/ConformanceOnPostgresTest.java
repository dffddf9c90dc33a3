package dev.semel.examples.planner;

class ConformanceOnPostgresTest extends ConformanceSuite {
    ConformanceOnPostgresTest() {
        super(Engine.POSTGRESQL);
    }
}
