package dev.semel.spring;

import dev.semel.http.RetryRules;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;

/**
 * Beans for clients that keep one key across their retries: the retry rules, by the policy {@code http.client}, and the
 * interceptors that apply them. No client is changed automatically.
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
