package dev.semel.spring;

import dev.semel.Channel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.http.Hooks;
import dev.semel.http.HttpSettings;
import dev.semel.http.IdempotencyFilter;
import dev.semel.http.IdempotentExchange;
import dev.semel.http.Level;
import dev.semel.http.Rule;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
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
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The Idempotency-Key filter in front of Spring MVC, behind Spring Security where it is present. */
@AutoConfiguration(after = SemelAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, DispatcherServlet.class})
@ConditionalOnBean(EngineOpener.OpenedEngine.class)
@ConditionalOnProperty(name = "semel.http.enabled", matchIfMissing = true)
@EnableConfigurationProperties({SemelHttpProperties.class, SemelRouteProperties.class})
public class SemelHttpAutoConfiguration {

    /** Changes the filter's settings after the properties and the hook beans. */
    @FunctionalInterface
    public interface Customizer {
        /** Called once, before the filter is made. */
        void customize(HttpSettings settings);
    }

    @Bean
    ConfiguredRoutes semelConfiguredRoutes(EngineOpener.OpenedEngine opened, SemelRouteProperties properties) {
        List<String> faults = new ArrayList<>();
        ConfiguredRoutes configured = ConfiguredRoutes.of(properties, faults);
        faults.addAll(PropertyCheck.policies(properties, opened.catalogue()));
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("Semel's HTTP settings", faults);
        }
        return configured;
    }

    @Bean
    MvcRoutes semelRoutes(
            EngineOpener.OpenedEngine opened,
            SemelHttpProperties properties,
            SemelRouteProperties routes,
            ConfiguredRoutes configured,
            ApplicationContext context) {
        Rule usual = usual(opened, properties)
                .withForms(ContainerForms.of(context.getEnvironment()))
                .withLogOnly(routes.logOnly());
        boolean onlyAnnotated = properties.keys() == SemelHttpProperties.Keys.ANNOTATED;
        return routes(context, new RouteRules(usual, onlyAnnotated, configured));
    }

    @Bean
    @ConditionalOnMissingBean
    IdempotencyFilter idempotencyFilter(
            EngineOpener.OpenedEngine opened,
            SemelHttpProperties properties,
            MvcRoutes routes,
            TenantResolver tenants,
            ApplicationContext context,
            WatchedDataSources watched) {
        HttpSettings settings = IdempotencyFilter.on(opened.engine())
                .withReplayedHeaders(properties.tuning().replayedHeaders().toArray(String[]::new));
        HookBeans hooks = new HookBeans(context);
        scoped(settings, properties, tenants, hooks);
        settings.withOrigins(hooks.find(Hooks.Origins.class)
                .orElseGet(() -> new CrossOrigins(SingletonSupplier.of(() -> CrossOrigins.filters(context)))));
        hooks.find(Hooks.RateLimit.class).ifPresent(settings::withRateLimit);
        hooks.find(Hooks.Authorization.class).ifPresent(settings::withAuthorization);
        hooks.find(Hooks.Errors.class).or(() -> BootErrors.of(context)).ifPresent(settings::withErrors);
        settings.withExceptions(
                new SpringExceptions(hooks.find(Hooks.Exceptions.class).orElse(null)));
        hooks.find(Hooks.StatusLink.class).ifPresent(settings::withStatusLink);
        hooks.find(Hooks.FirstCommit.class).ifPresent(settings::afterFirstCommit);
        hooks.refuse();
        serveStatus(settings, context.getBean(SemelRouteProperties.class).status());
        settings.withDefault(routes.usual())
                .withRoutes(
                        properties.expert().keysByIssuerAndVersion()
                                ? routes
                                : request -> routes.find(request).map(found -> found.withVersion(null)));
        if (routes.usual().isLogOnly()) {
            settings.withLogOnly();
        }
        if (properties.expert().ietfDocumentation() != null) {
            settings.withIetfProfile(properties.expert().ietfDocumentation());
        }
        SpringTransactions transactions = opened.transactions();
        if (transactions != null) {
            if (hooks.find(Hooks.Effects.class).isPresent()) {
                throw new SemelException.Misconfigured(
                        "Semel's HTTP filter",
                        List.of("a Hooks.Effects bean is present, but the starter itself watches DataSource beans to"
                                + " mark transactions: remove the bean"));
            }
            settings.withEffects(watch(watched, transactions, context, properties));
            transactions.listen(new MarkingTransactions(transactions::connection, watched.watch()));
            opened.semel().onCommitsOfItsOwn(watched.watch()::beside);
        }
        context.getBeanProvider(TestLedger.class)
                .ifAvailable(tests -> settings.withRequestRules(new TestRules(tests, transactions != null)));
        context.getBeanProvider(Customizer.class).orderedStream().forEach(each -> each.customize(settings));
        return settings.build();
    }

    private static void serveStatus(HttpSettings settings, SemelRouteProperties.StatusPath status) {
        if (status.path() != null) {
            settings.withStatusResource(status.path());
        }
        if (status.cancel()) {
            settings.withCancellation();
        }
    }

    /** Watches everything that handlers may commit with, besides the ledger's transaction manager. */
    private static ConnectionWatch watch(
            WatchedDataSources watched,
            SpringTransactions transactions,
            ApplicationContext context,
            SemelHttpProperties properties) {
        ConnectionWatch watch = watched.watch();
        watched.check(DataSources.existing(context));
        watch.ledgerIs(DataSources.chain(transactions.source()));
        if (!properties.expert().handlersOnOtherThreads()) {
            watch.withoutOtherThreads();
        }
        BeanFactoryUtils.beansOfTypeIncludingAncestors(context, PlatformTransactionManager.class)
                .forEach((name, manager) -> {
                    if (manager == transactions.manager()) {
                        return;
                    }
                    if (manager instanceof ConfigurableTransactionManager other) {
                        other.addListener(new ForeignTransactionListener(name));
                    } else {
                        watch.cannotTell("The transaction manager " + name + " cannot be observed.");
                    }
                });
        return watch;
    }

    /** Observes transactions of a manager other than the ledger's. Their outcome is not tracked. */
    private record ForeignTransactionListener(String manager) implements TransactionExecutionListener {
        @Override
        public void beforeBegin(TransactionExecution transaction) {
            IdempotentExchange.current()
                    .map(ConnectionWatch::request)
                    .ifPresent(request -> request.doubt(
                            "The handler began a transaction of " + manager + ", which is not the ledger's manager."));
        }
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static WatchedDataSources semelWatchedDataSources(ConfigurableListableBeanFactory beans) {
        return new WatchedDataSources(beans);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static WatchedExecutors semelWatchedExecutors(WatchedDataSources sources) {
        return new WatchedExecutors(sources.watch());
    }

    @Bean
    FilterRegistrationBean<RequestThreadFilter> semelServingFilterRegistration(WatchedDataSources watched) {
        FilterRegistrationBean<RequestThreadFilter> registration =
                registration(new RequestThreadFilter(watched.watch()), Ordered.HIGHEST_PRECEDENCE);
        registration.setDispatcherTypes(EnumSet.allOf(DispatcherType.class));
        return registration;
    }

    @Bean
    SemelExceptionResolver semelExceptionResolver(ObjectProvider<IdempotencyFilter> filter) {
        return new SemelExceptionResolver(filter::getObject);
    }

    @Bean
    RouteLines semelRouteLines() {
        return new RouteLines();
    }

    /** Checks the routes when all beans exist, and logs them. */
    @Bean
    SmartInitializingSingleton semelRouteReport(
            IdempotencyFilter filter,
            MvcRoutes routes,
            ConfiguredRoutes configured,
            RouteLines lines,
            ObjectProvider<RequestMappingHandlerMapping> controllers,
            ObjectProvider<RouterFunctionMapping> functions) {
        return () -> {
            List<RequestMappingHandlerMapping> mappings = controllers.stream().toList();
            RouteReport report = new RouteReport(
                    filter,
                    routes,
                    configured,
                    ListedRoutes.of(mappings, functions.stream().toList()));
            List<String> faults = new ArrayList<>(report.faults());
            if (faults.isEmpty()) {
                faults.addAll(new StreamRoutes(filter, routes).faults(mappings));
            }
            if (!faults.isEmpty()) {
                throw new SemelException.Misconfigured("Semel's HTTP routes", faults);
            }
            lines.set(report.lines());
            RouteReport.log(lines, report.warnings());
        };
    }

    @Bean
    SmartInitializingSingleton semelFilterOrder(ListableBeanFactory beans) {
        return () -> FilterOrder.check(beans);
    }

    @Bean
    FilterRegistrationBean<IdempotencyFilter> idempotencyFilterRegistration(
            IdempotencyFilter filter, SemelHttpProperties properties) {
        return registration(filter, properties.expert().order());
    }

    /** Only where the ledger uses Spring's transactions: a registration without a filter fails to start. */
    @Bean
    @Conditional(LedgerInDataSource.class)
    FilterRegistrationBean<FlushingFilter> semelSettlingFilterRegistration(
            EngineOpener.OpenedEngine opened, SemelHttpProperties properties) {
        SpringTransactions transactions = Objects.requireNonNull(opened.transactions());
        return registration(
                new FlushingFilter(transactions), properties.expert().order() + 1);
    }

    private static <F extends Filter> FilterRegistrationBean<F> registration(F filter, int order) {
        FilterRegistrationBean<F> registration = new FilterRegistrationBean<>(filter);
        registration.setOrder(order);
        registration.setAsyncSupported(true);
        registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
        return registration;
    }

    /** The level of a request in a test, where the transactions of requests are parts of the test's own. */
    private record TestRules(TestLedger tests, boolean inDataSource) implements Hooks.RequestRules {
        @Override
        public Rule of(HttpServletRequest request, Rule rule) {
            if (!inDataSource && tests.isInMemory()) {
                return rule.withLevel(Level.PLAIN);
            }
            return rule.level() == Level.MARKER && tests.isInTestTransaction() ? rule.withLevel(Level.SPAN) : rule;
        }
    }

    private static Rule usual(EngineOpener.OpenedEngine opened, SemelHttpProperties properties) {
        SemelHttpProperties.HttpTuning tuning = properties.tuning();
        PropertyCheck.policy(properties, opened.catalogue()).ifPresent(fault -> {
            throw new SemelException.Misconfigured("Semel's HTTP settings", List.of(fault));
        });
        SemelHttpProperties.Breaker breaker = properties.expert().breaker();
        Rule rule = properties.keys() == SemelHttpProperties.Keys.OPTIONAL ? Rule.optional() : Rule.required();
        if (tuning.responses().holdStreams()) {
            rule = rule.withHeldStreams();
        }
        return rule.withLevel(properties.level(opened.transactions() != null))
                .withPolicy(tuning.policy())
                .withPatience(tuning.patience())
                .withLargestRequest(tuning.largestRequest().toBytes())
                .withLargestKeptResponse((int) tuning.largestKeptResponse().toBytes())
                .withLargestHeldResponse(tuning.responses().largestHeld().toBytes())
                .withBreaker(new Channel.Breaker(breaker.failurePercent(), breaker.calls(), breaker.pause()));
    }

    /** The scope of keys: from a Hooks.Scopes bean, or from the tenant and the principal. */
    private static void scoped(
            HttpSettings settings, SemelHttpProperties properties, TenantResolver tenants, HookBeans hooks) {
        Optional<Hooks.Scopes> scopes = hooks.find(Hooks.Scopes.class);
        if (scopes.isPresent() && properties.anonymous()) {
            hooks.faults.add(
                    "semel.http.anonymous is set, but a Hooks.Scopes bean already decides about unauthenticated"
                            + " requests: remove one of the two");
        }
        if (scopes.isPresent()) {
            settings.withScope(scopes.get());
            return;
        }
        settings.withTenant(request -> tenants.current().map(Tenant::name).orElse(null));
        if (properties.anonymous()) {
            settings.withAnonymousCallers();
        }
        if (properties.expert().keysByIssuerAndVersion()) {
            settings.withIssuer(TokenIssuer::of);
        }
    }

    /** The hook beans: at most one of each type. */
    private record HookBeans(ApplicationContext context, List<String> faults) {
        HookBeans(ApplicationContext context) {
            this(context, new ArrayList<>());
        }

        <H> Optional<H> find(Class<H> type) {
            H only = context.getBeanProvider(type).getIfUnique();
            String[] names = context.getBeanNamesForType(type);
            if (only == null && names.length > 1) {
                faults.add("several beans of type Hooks." + type.getSimpleName() + " (" + String.join(", ", names)
                        + ") and none is primary: keep one, or make one primary");
            }
            return Optional.ofNullable(only);
        }

        void refuse() {
            if (!faults.isEmpty()) {
                throw new SemelException.Misconfigured("Semel's HTTP settings", faults);
            }
        }
    }

    static MvcRoutes routes(ApplicationContext context, RouteRules rules) {
        return new MvcRoutes(SingletonSupplier.of(() -> mappings(context)), rules);
    }

    private static List<HandlerMapping> mappings(ApplicationContext context) {
        List<HandlerMapping> mappings = new ArrayList<>(
                BeanFactoryUtils.beansOfTypeIncludingAncestors(context, HandlerMapping.class, true, false)
                        .values());
        AnnotationAwareOrderComparator.sort(mappings);
        return mappings;
    }
}
