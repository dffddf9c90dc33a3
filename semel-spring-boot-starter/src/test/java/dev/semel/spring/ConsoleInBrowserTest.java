package dev.semel.spring;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.console.browser.Chromium;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** The pages in an application with the login form of Spring Security, under each of its protections against CSRF. */
class ConsoleInBrowserTest {
    private static final Operation.Leased<String, String> ORDER = Operation.leased("order", String.class, String.class);
    private static final Map<CsrfProtection, ConfigurableApplicationContext> APPLICATIONS =
            new EnumMap<>(CsrfProtection.class);

    private BrowserContext browser;
    private Page page;

    /** What an application writes into {@code http.csrf(...)}. */
    enum CsrfProtection {
        USUAL(Customizer.withDefaults()),
        SINGLE_PAGE(CsrfConfigurer::spa),
        NONE(CsrfConfigurer::disable);

        private final Customizer<CsrfConfigurer<HttpSecurity>> customizer;

        CsrfProtection(Customizer<CsrfConfigurer<HttpSecurity>> customizer) {
            this.customizer = customizer;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class LoginApplication {
        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(User.withUsername("acme-root")
                    .password("{noop}secret")
                    .authorities("ROLE_SEMEL_ADMIN")
                    .build());
        }

        @Bean
        TenantResolver tenants() {
            return () -> Optional.ofNullable(SecurityContextHolder.getContext().getAuthentication())
                    .map(known -> Tenant.of(known.getName().split("-")[0]));
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http, CsrfProtection protection) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .formLogin(Customizer.withDefaults())
                    .csrf(protection.customizer)
                    .build();
        }
    }

    private static ConfigurableApplicationContext start(CsrfProtection protection) {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(LoginApplication.class)
                .initializers(each -> each.getBeanFactory().registerSingleton("csrfProtection", protection))
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA,
                        "semel.console.path=/semel")
                .run();
        context.getBean(Semel.class).run(ORDER, Call.of(Tenant.of("acme"), Key.of("o-1"), "o"), (order, run) -> "done");
        return context;
    }

    @AfterAll
    static void stop() {
        APPLICATIONS.values().forEach(ConfigurableApplicationContext::close);
    }

    @AfterEach
    void close() {
        if (browser != null) {
            browser.close();
        }
    }

    private void logIn(CsrfProtection protection) {
        ConfigurableApplicationContext application =
                APPLICATIONS.computeIfAbsent(protection, ConsoleInBrowserTest::start);
        browser = Chromium.shared()
                .browser()
                .newContext(new Browser.NewContextOptions()
                        .setBaseURL("http://localhost:"
                                + application.getEnvironment().getRequiredProperty("local.server.port")));
        page = browser.newPage();
        page.setDefaultTimeout(15_000);
        page.navigate("/semel/");
        enter();
        page.navigate("/semel/#/modes");
        assertThat(page.locator("h1")).hasText("Modes");
        page.locator("#main[data-ready][aria-busy=false]").waitFor();
    }

    /** On the form of the application. */
    private void enter() {
        page.getByLabel("Username").fill("acme-root");
        page.getByLabel("Password").fill("secret");
        page.getByText("Sign in", new Page.GetByTextOptions().setExact(true)).click();
        assertThat(page.locator("h1")).hasText("Overview");
    }

    private void act(String button, String verb) {
        page.getByRole(
                        AriaRole.BUTTON,
                        new Page.GetByRoleOptions().setName(button).setExact(true))
                .click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        dialog.getByLabel("Reason").fill("ticket 4711");
        dialog.getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(verb).setExact(true))
                .click();
        assertThat(dialog).hasCount(0);
    }

    @ParameterizedTest
    @EnumSource
    void h2_pagesSendTheTokenThatTheApplicationExpects(CsrfProtection protection) {
        logIn(protection);
        assertThat(page.locator(".person")).containsText("admin, tenant acme");
        page.getByLabel("Name", new Page.GetByLabelOptions().setExact(true)).fill("order");
        act("Set the mode…", "Halt");
        assertThat(page.locator("#main")).containsText("operation order, tenant acme");
        act("Set to LIVE: operation order, tenant acme", "Set to LIVE");
        assertThat(page.locator("#main")).containsText("Everything is LIVE.");
    }

    @ParameterizedTest
    @EnumSource
    void sessionThatEndedLeadsToTheLoginOfTheApplicationAndBack(CsrfProtection protection) {
        logIn(protection);
        browser.clearCookies();
        page.keyboard().press(".");
        assertThat(page.locator("h1")).hasText("Your application’s login is needed");
        page.getByText("Reload", new Page.GetByTextOptions().setExact(true)).click();
        enter();
    }

    @ParameterizedTest
    @EnumSource
    void actionAfterTheEndOfTheSessionSaysSoAndDoesNothing(CsrfProtection protection) {
        logIn(protection);
        page.getByLabel("Name", new Page.GetByLabelOptions().setExact(true)).fill("order");
        page.getByText("Set the mode…").click();
        browser.clearCookies();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        dialog.getByLabel("Reason").fill("ticket 4711");
        dialog.getByText("Halt", new Locator.GetByTextOptions().setExact(true)).click();
        assertThat(dialog).containsText("Nothing was done. The login has ended");
    }
}
