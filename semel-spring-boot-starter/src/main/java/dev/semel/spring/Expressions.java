package dev.semel.spring;

import dev.semel.SemelException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** Evaluates the expressions of annotations with the method's arguments and the context's beans. */
final class Expressions {
    static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final BeanFactory beans;

    Expressions(BeanFactory beans) {
        this.beans = beans;
    }

    /** @throws ParseException when the text is not an expression */
    Expression parse(String text) {
        return parser.parseExpression(text);
    }

    /** The value of an expression for one call. */
    @Nullable
    Object value(Expression expression, Object target, Method method, @Nullable Object[] arguments) {
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(target, method, arguments, NAMES);
        context.setBeanResolver(new BeanFactoryResolver(beans));
        try {
            return expression.getValue(context);
        } catch (EvaluationException e) {
            throw new SemelException.Invalid(
                    method.getDeclaringClass().getSimpleName() + "." + method.getName() + ": evaluating the expression"
                            + " \""
                            + expression.getExpressionString() + "\" failed (" + e.getMessage()
                            + "). Nothing was run.",
                    e);
        }
    }
}
