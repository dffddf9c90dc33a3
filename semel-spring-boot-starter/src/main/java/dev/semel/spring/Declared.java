package dev.semel.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/** A method of a bean that carries one of our annotations. */
record Declared<A extends Annotation>(String bean, Class<?> type, Method method, A annotation) {

    /** All of the context's beans, without making any. */
    static <A extends Annotation> List<Declared<A>> in(ConfigurableListableBeanFactory beans, Class<A> annotation) {
        List<Declared<A>> found = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            Class<?> type =
                    ScopedProxyUtils.isScopedTarget(name) ? null : AutoProxyUtils.determineTargetClass(beans, name);
            if (type != null && AnnotationUtils.isCandidateClass(type, annotation)) {
                Map<Method, A> methods = MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<A>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, annotation));
                methods.forEach((method, declared) ->
                        found.add(new Declared<>(name, ClassUtils.getUserClass(type), method, declared)));
            }
        }
        found.sort(Comparator.comparing((Declared<A> each) -> each.bean)
                .thenComparing(each -> each.method.getName())
                .thenComparing(each -> each.method.toString()));
        return found;
    }

    /** For messages. */
    String place() {
        return type.getSimpleName() + "." + method.getName();
    }
}
