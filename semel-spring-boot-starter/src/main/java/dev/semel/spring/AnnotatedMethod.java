package dev.semel.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** A bean method with one of our annotations. */
record AnnotatedMethod<A extends Annotation>(String bean, Class<?> type, Method method, A annotation) {
    /** The fault of a suspend function. */
    static final String SUSPENDS =
            "suspend functions are not supported, because they return before they have ended: make it an ordinary"
                    + " function";

    /** All annotated methods of the context's beans, without creating a bean. */
    static <A extends Annotation> List<AnnotatedMethod<A>> in(
            ConfigurableListableBeanFactory beans, Class<A> annotation) {
        List<AnnotatedMethod<A>> found = new ArrayList<>();
        candidates(beans, annotation).forEach((name, type) -> {
            Map<Method, A> methods = MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<A>)
                    method -> AnnotatedElementUtils.findMergedAnnotation(method, annotation));
            methods.forEach((method, declared) ->
                    found.add(new AnnotatedMethod<>(name, ClassUtils.getUserClass(type), method, declared)));
        });
        found.sort(Comparator.comparing((AnnotatedMethod<A> each) -> each.bean)
                .thenComparing(each -> each.method.getName())
                .thenComparing(each -> each.method.toString()));
        return found;
    }

    /** The annotated classes of the context's beans. */
    static List<Class<?>> classesIn(ConfigurableListableBeanFactory beans, Class<? extends Annotation> annotation) {
        return candidates(beans, annotation).values().stream()
                .<Class<?>>map(ClassUtils::getUserClass)
                .filter(type -> AnnotatedElementUtils.hasAnnotation(type, annotation))
                .distinct()
                .toList();
    }

    private static Map<String, Class<?>> candidates(
            ConfigurableListableBeanFactory beans, Class<? extends Annotation> annotation) {
        Map<String, Class<?>> types = new TreeMap<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type =
                    ScopedProxyUtils.isScopedTarget(name) ? null : AutoProxyUtils.determineTargetClass(beans, name);
            if (type != null && AnnotationUtils.isCandidateClass(type, annotation)) {
                types.put(name, type);
            }
        }
        return types;
    }

    /** Class and method, for messages. */
    String place() {
        return type.getSimpleName() + "." + method.getName();
    }
}
