package dev.semel.spring;

import java.lang.reflect.Modifier;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;

/** Sees to it that every data source of the application tells when a connection is taken of it. Its type stays the same. */
final class WatchedDataSources implements BeanPostProcessor {
    private final ConnectionWatch watch = new ConnectionWatch();

    ConnectionWatch watch() {
        return watch;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof DataSource source ? watched(source, name) : bean;
    }

    private Object watched(DataSource source, String name) {
        Class<?> type = source.getClass();
        ProxyFactory factory = new ProxyFactory();
        factory.setTarget(source);
        factory.setInterfaces(ClassUtils.getAllInterfacesForClass(type));
        factory.setProxyTargetClass(
                !Modifier.isFinal(type.getModifiers()) && !java.lang.reflect.Proxy.isProxyClass(type));
        factory.addAdvice((MethodInterceptor) invocation -> {
            String method = invocation.getMethod().getName();
            if (method.equals("getConnection") || method.equals("createConnectionBuilder")) {
                watch.taken(source, name);
            }
            return invocation.proceed();
        });
        return factory.getProxy(type.getClassLoader());
    }
}
