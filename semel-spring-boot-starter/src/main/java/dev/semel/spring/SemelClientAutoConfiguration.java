package dev.semel.spring;

import dev.semel.http.RetryRules;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;

/**
 * Beans for clients that keep one key across their retries: the retry rules, by the policy {@code http.client}, and the
 * interceptors that apply them. Clients are changed only where {@code semel.expert.rest-client} is set.
 */
@AutoConfiguration(after = SemelAutoConfiguration.class)
@ConditionalOnBean(EngineOpener.OpenedEngine.class)
public class SemelClientAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    RetryRules semelRetryRules(EngineOpener.OpenedEngine opened) {
        return RetryRules.usual().withPolicy(opened.catalogue().get("http.client"));
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ClientHttpRequestInterceptor.class)
    static class Rest {
        @Bean
        @ConditionalOnMissingBean
        RetryingInterceptor semelRetryingInterceptor(RetryRules rules) {
            return new RetryingInterceptor(rules);
        }

        /** Behind the customizers of the application, so that this interceptor is the last one. */
        @Bean
        @ConditionalOnProperty("semel.expert.rest-client")
        static BeanPostProcessor semelRestClients(ObjectProvider<RetryingInterceptor> interceptor) {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof RestClient.Builder builder
                            ? builder.requestInterceptor(interceptor.getObject())
                            : bean;
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ExchangeFilterFunction.class)
    static class Reactive {
        @Bean
        @ConditionalOnMissingBean
        RetryingExchange semelRetryingExchange(RetryRules rules) {
            return new RetryingExchange(rules);
        }
    }
}
