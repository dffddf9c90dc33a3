package dev.semel.spring;

import dev.semel.SemelException;
import dev.semel.console.ConsoleServlet;
import dev.semel.console.admin.AdminServlet;
import dev.semel.console.admin.ServerActions;
import dev.semel.time.TimeSource;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import java.util.List;
import java.util.Optional;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

/** The console of an application, behind the application's own security. */
@AutoConfiguration(after = SemelAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(Filter.class)
@ConditionalOnBean(EngineOpener.OpenedEngine.class)
@ConditionalOnProperty("semel.console.path")
@EnableConfigurationProperties(SemelConsoleProperties.class)
public class SemelConsoleAutoConfiguration {
    private static final String CONSOLE = "dev.semel.console.ConsoleServlet";

    /** The module is not there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(CONSOLE)
    static class Missing {
        Missing() {
            throw new SemelException.Misconfigured("Semel's console", List.of("""
                    semel.console.path is set, and semel-console is not on the class path. Add it, or remove the property:
                        <dependency>
                          <groupId>dev.semel</groupId>
                          <artifactId>semel-console</artifactId>
                        </dependency>"""));
        }
    }

    /** Pages and API. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = CONSOLE)
    static class Mounted {
        @Bean
        @ConditionalOnMissingBean
        ConsoleTenantResolver semelConsoleTenants(TenantResolver tenants) {
            boolean single = tenants instanceof SingleTenantResolver;
            return request -> single
                    ? Optional.empty()
                    : Optional.of(tenants.current()
                            .orElseThrow(() -> new IllegalStateException("the tenant of " + request.getRemoteUser()
                                    + " is unknown: the TenantResolver returned none")));
        }

        @Bean
        ConsoleAccess semelConsoleAccess(SemelConsoleProperties properties, ConsoleTenantResolver tenants) {
            return new ConsoleAccess(properties, tenants, TimeSource.system());
        }

        @Bean
        ServletRegistrationBean<HttpServlet> semelConsolePages(SemelConsoleProperties properties) {
            return mounted(
                    "semelConsolePages",
                    new ConsoleServlet("api/v1", ConsoleServlet.LoginKind.EXTERNAL),
                    path(properties) + "/*");
        }

        @Bean
        ServletRegistrationBean<HttpServlet> semelConsoleSession(
                SemelConsoleProperties properties, ConsoleAccess access) {
            return mounted("semelConsoleSession", new ConsoleSession(access), path(properties) + "/api/v1/session");
        }

        @Bean
        ServletRegistrationBean<HttpServlet> semelConsoleAdmin(
                SemelConsoleProperties properties, ConsoleAccess access, EngineOpener.OpenedEngine opened) {
            return mounted(
                    "semelConsoleAdmin",
                    new AdminServlet(opened.engine(), access, new ApplicationActions(properties.viewersSeePayloads())),
                    path(properties) + "/api/v1/admin/*");
        }

        /** Behind Spring Security, whose filter comes long before. */
        @Bean
        FilterRegistrationBean<ConsoleGate> semelConsoleGate(SemelConsoleProperties properties, ConsoleAccess access) {
            FilterRegistrationBean<ConsoleGate> registration = new FilterRegistrationBean<>(new ConsoleGate(access));
            registration.addUrlPatterns(path(properties) + "/api/*");
            registration.setOrder(Ordered.LOWEST_PRECEDENCE);
            registration.setAsyncSupported(true);
            return registration;
        }

        private static ServletRegistrationBean<HttpServlet> mounted(String name, HttpServlet servlet, String path) {
            ServletRegistrationBean<HttpServlet> registration = new ServletRegistrationBean<>(servlet, path);
            registration.setName(name);
            registration.setAsyncSupported(true);
            return registration;
        }

        private static String path(SemelConsoleProperties properties) {
            String path = String.valueOf(properties.path());
            if (!path.matches("(/[A-Za-z0-9._~-]+)+")) {
                throw new SemelException.Misconfigured(
                        "Semel's console",
                        List.of("semel.console.path is \"" + path
                                + "\"; write a path that begins with a slash and does not end with one, as in /semel"));
            }
            return path;
        }
    }

    /** An application has no configuration file of the server. */
    private record ApplicationActions(boolean viewersSeePayloads) implements ServerActions {
        @Override
        public ReloadResult reload() {
            return new ReloadResult.Rejected(List.of("an application is configured by its own properties; restart it"));
        }

        @Override
        public ServerParts parts() {
            return ServerParts.NONE;
        }
    }
}
