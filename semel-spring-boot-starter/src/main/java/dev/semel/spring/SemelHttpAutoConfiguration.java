package dev.semel.spring;

import dev.semel.Channel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.http.Hooks;
import dev.semel.http.HttpSettings;
import dev.semel.http.IdempotencyFilter;
import dev.semel.http.Level;
import dev.semel.http.Rule;
import dev.semel.http.Scope;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;

/** The Idempotency-Key filter in front of Spring MVC, behind Spring Security where that is there. */
@AutoConfiguration(after = SemelAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, DispatcherServlet.class})
@ConditionalOnBean(Opening.Opened.class)
@ConditionalOnProperty(name = "semel.http.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SemelHttpProperties.class)
public class SemelHttpAutoConfiguration {

    /** The last word on the filter's settings, after the properties and the hooks that are beans. */
    @FunctionalInterface
    public interface Customizer {
        void customize(HttpSettings settings);
    }

    @Bean
    @ConditionalOnMissingBean
    IdempotencyFilter idempotencyFilter(
            Opening.Opened opened,
            SemelHttpProperties properties,
            TenantResolver tenants,
            ApplicationContext context,
            ObjectProvider<Customizer> customizers) {
        Rule usual = usual(opened, properties);
        HttpSettings settings = IdempotencyFilter.on(opened.engine())
                .withDefault(usual)
                .withReplayedHeaders(properties.tuning().replayedHeaders().toArray(String[]::new));
        scoped(settings, properties, tenants, context);
        SingletonSupplier<List<HandlerMapping>> mappings = SingletonSupplier.of(() -> mappings(context));
        boolean onlyAnnotated = properties.keys() == SemelHttpProperties.Keys.ANNOTATED;
        settings.withRoutes(new MvcRoutes(
                mappings::obtain,
                new RouteRules(usual, onlyAnnotated),
                onlyAnnotated ? usual.withKey(Rule.KeyUse.OFF) : usual));
        hook(context, Hooks.RateLimit.class, settings::withRateLimit);
        hook(context, Hooks.Authorization.class, settings::withAuthorization);
        hook(context, Hooks.Errors.class, settings::withErrors);
        hook(context, Hooks.StatusLink.class, settings::withStatusLink);
        hook(context, Hooks.FirstCommit.class, settings::afterFirstCommit);
        if (properties.expert().ietfDocumentation() != null) {
            settings.withIetfProfile(properties.expert().ietfDocumentation());
        }
        customizers.orderedStream().forEach(each -> each.customize(settings));
        SpringTransactions transactions = opened.transactions();
        if (transactions != null) {
            transactions.listen(new MarkingTransactions(transactions::connection));
        }
        return settings.build();
    }

    @Bean
    FilterRegistrationBean<IdempotencyFilter> idempotencyFilterRegistration(
            IdempotencyFilter filter, SemelHttpProperties properties) {
        return registration(filter, properties.expert().order());
    }

    @Bean
    FilterRegistrationBean<SettlingFilter> semelSettlingFilterRegistration(
            Opening.Opened opened, SemelHttpProperties properties) {
        SpringTransactions transactions = opened.transactions();
        FilterRegistrationBean<SettlingFilter> registration = transactions == null
                ? new FilterRegistrationBean<>()
                : registration(
                        new SettlingFilter(transactions), properties.expert().order() + 1);
        registration.setEnabled(transactions != null);
        return registration;
    }

    private static <F extends Filter> FilterRegistrationBean<F> registration(F filter, int order) {
        FilterRegistrationBean<F> registration = new FilterRegistrationBean<>(filter);
        registration.setOrder(order);
        registration.setAsyncSupported(true);
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
        return registration;
    }

    private static Rule usual(Opening.Opened opened, SemelHttpProperties properties) {
        SemelHttpProperties.Tuning tuning = properties.tuning();
        boolean bound = opened.transactions() != null;
        Level level = properties.level() != null ? properties.level() : bound ? Level.MARKER : Level.PLAIN;
        List<String> faults = new ArrayList<>();
        if (level != Level.PLAIN && !bound) {
            faults.add("semel.http.level is " + level + ", but the ledger has a store of its own (semel.store), so that"
                    + " nothing ties a handler's effect to the ledger: use plain, or remove semel.store");
        }
        if (opened.catalogue().find(tuning.policy()).isEmpty()) {
            faults.add(
                    "semel.http.tuning.policy is \"" + tuning.policy() + "\", and no policy is called that; there are "
                            + String.join(", ", opened.catalogue().names()));
        }
        long kept = tuning.largestKeptResponse().toBytes();
        long largest = opened.largestValue();
        if (kept > largest) {
            faults.add(
                    "semel.http.tuning.largest-kept-response is " + kept + " bytes, but no value in the ledger may have"
                            + " more than " + largest + " (semel.tuning.largest-value): raise that, or lower this");
        }
        Channel.Breaker breaker = breaker(properties.expert().breaker(), faults);
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("Semel's HTTP settings", faults);
        }
        Rule rule = properties.keys() == SemelHttpProperties.Keys.OPTIONAL ? Rule.optional() : Rule.required();
        return rule.withLevel(level)
                .withPolicy(tuning.policy())
                .withPatience(tuning.patience())
                .withLargestRequest(tuning.largestRequest().toBytes())
                .withLargestKeptResponse((int) kept)
                .withBreaker(breaker);
    }

    private static Channel.Breaker breaker(SemelHttpProperties.Breaker said, List<String> faults) {
        try {
            return new Channel.Breaker(said.failurePercent(), said.calls(), said.pause());
        } catch (SemelException.Invalid e) {
            faults.add("semel.http.expert.breaker: " + e.getMessage());
            return Channel.Breaker.NONE;
        }
    }

    /** Whose keys they are: what a bean says alone, or the tenant and the principal. */
    private static void scoped(
            HttpSettings settings, SemelHttpProperties properties, TenantResolver tenants, ApplicationContext context) {
        Hooks.Scopes scopes = context.getBeanProvider(Hooks.Scopes.class).getIfUnique();
        if (scopes != null) {
            settings.withScope(scopes);
        } else if (properties.anonymous()) {
            settings.withScope(request ->
                    Optional.of(Scope.of(Optional.ofNullable(tenants.current()).orElse(Tenant.SINGLE))));
        } else {
            settings.withTenant(request -> {
                Tenant tenant = tenants.current();
                return tenant == null ? null : tenant.name();
            });
        }
    }

    private static <H> void hook(ApplicationContext context, Class<H> type, Consumer<H> setting) {
        H bean = context.getBeanProvider(type).getIfUnique();
        if (bean != null) {
            setting.accept(bean);
        }
    }

    private static List<HandlerMapping> mappings(ApplicationContext context) {
        List<HandlerMapping> mappings = new ArrayList<>(
                BeanFactoryUtils.beansOfTypeIncludingAncestors(context, HandlerMapping.class, true, false)
                        .values());
        AnnotationAwareOrderComparator.sort(mappings);
        return mappings;
    }
}
