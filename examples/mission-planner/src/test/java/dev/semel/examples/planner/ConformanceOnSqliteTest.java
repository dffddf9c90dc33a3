package dev.semel.examples.planner;

class ConformanceOnSqliteTest extends ConformanceSuite {
    ConformanceOnSqliteTest() {
        super(Engine.SQLITE);
    }
}
