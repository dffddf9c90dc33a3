package dev.semel.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Expert settings for libraries that the application may have.
 *
 * @param liquibase Whether Liquibase, where it is present, installs the ledger's tables. Set false where it migrates another
 *     database.
 * @param openapi Whether springdoc, where it is present, documents keys, replays and problems of protected routes.
 * @param restClient Whether every RestClient that is built with the RestClient.Builder bean retries its requests under one
 *     Idempotency-Key. Set true only if all services that are called honour the key.
 */
@ConfigurationProperties("semel.expert")
record SemelIntegrationProperties(
        @DefaultValue("true") boolean liquibase,
        @DefaultValue("true") boolean openapi,
        @DefaultValue("false") boolean restClient) {}
