package dev.semel.spring.test;

import dev.semel.spring.SemelAutoConfiguration;
import dev.semel.spring.SemelFlywayAutoConfiguration;
import dev.semel.spring.SemelLiquibaseAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Import;

/** Chooses the store of a test slice. */
@AutoConfiguration(
        before = {
            SemelAutoConfiguration.class,
            SemelFlywayAutoConfiguration.class,
            SemelLiquibaseAutoConfiguration.class
        },
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.test.autoconfigure.TestDatabaseAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.test.autoconfigure.jdbc.TestDatabaseAutoConfiguration"
        })
@Import(SliceStore.class)
public class SemelSliceAutoConfiguration {}
