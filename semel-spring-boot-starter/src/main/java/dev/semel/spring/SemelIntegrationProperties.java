package dev.semel.spring;

/**
 * Expert settings for libraries that the application may have, beside those of {@link SemelProperties.Expert}. The conditions of the
 * auto-configurations read them. This record only gives their names and types to the check of properties; the metadata file has
 * their descriptions and defaults.
 */
record SemelIntegrationProperties(boolean liquibase, boolean openapi, boolean restClient) {}
