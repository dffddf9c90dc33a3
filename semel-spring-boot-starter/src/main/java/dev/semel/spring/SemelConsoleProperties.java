package dev.semel.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the console.
 *
 * @param path Where the console is mounted, for example /semel. Unset: there is no console.
 * @param viewerAuthorities Authorities that let people look.
 * @param operatorAuthorities Authorities that let people act on records and channels.
 * @param adminAuthorities Authorities that let people do everything.
 * @param viewersSeePayloads Whether people who may only look see payloads and results, with likely secrets masked.
 */
@ConfigurationProperties("semel.console")
record SemelConsoleProperties(
        @Nullable String path,
        @DefaultValue("ROLE_SEMEL_VIEWER") List<String> viewerAuthorities,
        @DefaultValue("ROLE_SEMEL_OPERATOR") List<String> operatorAuthorities,
        @DefaultValue("ROLE_SEMEL_ADMIN") List<String> adminAuthorities,
        @DefaultValue("false") boolean viewersSeePayloads) {}
