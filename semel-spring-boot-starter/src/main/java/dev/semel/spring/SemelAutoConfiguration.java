package dev.semel.spring;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.LeasedContext;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.operator.Operator;
import dev.semel.store.Store;
import dev.semel.watch.Watch;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;
import tools.jackson.databind.json.JsonMapper;

/**
 * Configures Semel in the application's data source or in its own store, {@link Idempotent} methods and {@link SemelChannel}
 * handlers. Backs off when the application has a {@link Semel} bean.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration"
        })
@ConditionalOnProperty(name = "semel.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SemelProperties.class)
@Import(SemelAutoConfiguration.Proxies.class)
public class SemelAutoConfiguration {
    /** After authorization and validation, so that a replay is authorized too; before the transaction advice. */
    static final int ORDER = Ordered.LOWEST_PRECEDENCE - 1_000;

    /** Used unless the application opens its own engine. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(Semel.class)
    static class OpenedHere {
        @Bean
        @DependsOnDatabaseInitialization
        EngineOpener.OpenedEngine semelOpened(
                SemelProperties properties,
                ConfigurableListableBeanFactory beans,
                ObjectProvider<Policy> policies,
                ObjectProvider<Watch> watch,
                ObjectProvider<TestLedger> tests,
                Environment environment) {
            EngineOpener.OpenedEngine opened = new EngineOpener(
                            properties,
                            new DataSources(beans, properties.expert()),
                            policies.orderedStream().toList(),
                            watch.getIfAvailable(() -> Watch.NONE),
                            environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false))
                    .open();
            if (opened.transactions() != null) {
                tests.ifAvailable(opened.transactions()::joinTests);
            }
            return opened;
        }

        /** Closed with the context. */
        @Bean(destroyMethod = "")
        Semel semel(EngineOpener.OpenedEngine opened) {
            return opened.semel();
        }

        /** Closed with the engine. */
        @Bean(destroyMethod = "")
        Store semelStore(EngineOpener.OpenedEngine opened) {
            return opened.store();
        }

        @Bean
        Operator semelOperator(EngineOpener.OpenedEngine opened) {
            return opened.engine().operator();
        }
    }

    /** Runs before any property is bound, so that all faults are reported at once. */
    @Bean
    static BeanFactoryPostProcessor semelPropertyCheck(ConfigurableEnvironment environment) {
        return beans -> PropertyCheck.refuse(environment, beans);
    }

    @Bean
    @ConditionalOnMissingBean
    TenantResolver semelTenants() {
        return new SingleTenantResolver();
    }

    @Bean
    RunContexts semelRunContexts() {
        return new RunContexts();
    }

    /** To inject: the context of the atomic method or channel handler that runs on the calling thread. */
    @Bean
    @ConditionalOnMissingBean(AtomicContext.class)
    AtomicContext semelAtomicContext(RunContexts contexts) {
        return new InjectedAtomicContext(contexts);
    }

    /** To inject: the context of the leased method or channel handler that runs on the calling thread. */
    @Bean
    @ConditionalOnMissingBean(LeasedContext.class)
    LeasedContext semelLeasedContext(RunContexts contexts) {
        return new InjectedLeasedContext(contexts);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor idempotentAdvisor(ConfigurableListableBeanFactory beans) {
        DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                new StaticMethodMatcherPointcut() {
                    @Override
                    public boolean matches(Method method, Class<?> type) {
                        return IdempotentMethod.isOne(method, type);
                    }
                },
                new IdempotentInterceptor(SingletonSupplier.of(() -> services(beans))));
        advisor.setOrder(ORDER);
        return advisor;
    }

    private static IdempotentInterceptor.CallServices services(ConfigurableListableBeanFactory beans) {
        return new IdempotentInterceptor.CallServices(
                beans.getBean(Semel.class),
                beans.getBean(TenantResolver.class),
                results(beans),
                new Expressions(beans),
                beans.getBean(RunContexts.class),
                new IdempotentInterceptor.CallSettings(
                        beans.getBean(SemelProperties.class).tuning().patience(),
                        beans.getBeanProvider(OperationGuards.class).stream().toList()));
    }

    private static ResultCodec results(ConfigurableListableBeanFactory beans) {
        return new ResultCodec(beans.getBeanProvider(JsonMapper.class).getIfUnique(JsonMapper::shared));
    }

    @Bean
    ChannelMethods semelChannels(
            ConfigurableListableBeanFactory beans, RunContexts contexts, ObjectProvider<ChannelCapacity> capacities) {
        List<Channel<?>> channels = new ArrayList<>();
        beans.getBeansOfType(Channel.class).values().forEach(channels::add);
        return new ChannelMethods(beans, contexts, channels, capacities);
    }

    @Bean
    ReconcilerMethods semelReconcilers(ConfigurableListableBeanFactory beans) {
        ReconcilerMethods reconcilers = new ReconcilerMethods(beans, results(beans));
        beans.getBeansOfType(Operation.class).values().forEach(reconcilers::know);
        return reconcilers;
    }

    @Bean
    OnDeadMethods semelOnDeadMethods(
            ConfigurableListableBeanFactory beans, RunContexts contexts, ReconcilerMethods operations) {
        return new OnDeadMethods(beans, contexts, operations);
    }

    @Bean
    SmartInitializingSingleton semelDeclarations(
            ConfigurableListableBeanFactory beans,
            ChannelMethods channels,
            ReconcilerMethods reconcilers,
            ObjectProvider<EngineOpener.OpenedEngine> opened,
            ObjectProvider<TestLedger> tests,
            ApplicationContext context) {
        return () -> {
            EngineOpener.OpenedEngine mine = opened.getIfAvailable();
            RouteProtection protection = new RouteProtection(context, mine != null);
            AnnotationCheck declarations = new AnnotationCheck(
                    new Expressions(beans),
                    mine == null ? null : mine.catalogue(),
                    mine == null
                            || mine.transactions() != null
                            || tests.getIfAvailable(() -> TestLedger.NONE).isInMemory(),
                    protection.missing());
            declarations.add(protection.unread());
            declarations.checkMethods(AnnotatedMethod.in(beans, Idempotent.class), reconcilers);
            declarations.checkGuards(
                    beans.getBeanProvider(OperationGuards.class).stream().toList(),
                    AnnotatedMethod.in(beans, Idempotent.class));
            declarations.checkClasses(AnnotatedMethod.classesIn(beans, Idempotent.class));
            declarations.checkChannels(AnnotatedMethod.in(beans, SemelChannel.class), channels, reconcilers);
            declarations.checkReconcilers(AnnotatedMethod.in(beans, SemelReconciler.class), reconcilers);
            declarations.checkOnDead(AnnotatedMethod.in(beans, SemelOnDead.class), beans.getBean(OnDeadMethods.class));
            declarations.refuse();
        };
    }

    @Bean
    SemelLifecycle semelLifecycle(
            Semel semel,
            ChannelMethods channels,
            ReconcilerMethods reconcilers,
            OnDeadMethods deaths,
            SemelProperties properties) {
        return new SemelLifecycle(semel, channels, reconcilers, deaths, properties.tuning());
    }

    /** Registers the proxy creator, also where no other configuration does. */
    static class Proxies implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}
