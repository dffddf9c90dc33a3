package dev.semel.spring.test;

import dev.semel.spring.test.AutoConfigureSemel.Reset;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.TestExecutionListener;

/** Empties the ledger before and after each test of a class with {@link AutoConfigureSemel}, outside the test's transaction. */
final class LedgerResetListener implements TestExecutionListener, Ordered {
    /** Before the test's transaction begins (4000), and after it has ended, because callbacks after tests run in reverse order. */
    private static final int ORDER = 3_500;

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        reset(test);
    }

    @Override
    public void afterTestMethod(TestContext test) {
        reset(test);
    }

    private static void reset(TestContext test) {
        AutoConfigureSemel said =
                TestContextAnnotationUtils.findMergedAnnotation(test.getTestClass(), AutoConfigureSemel.class);
        if (said == null || said.reset() == Reset.NEVER) {
            return;
        }
        LedgerReset ledger =
                test.getApplicationContext().getBeanProvider(LedgerReset.class).getIfAvailable();
        if (ledger == null) {
            return;
        }
        if (said.reset() == Reset.ANY_LEDGER) {
            ledger.resetAny();
        } else {
            ledger.reset();
        }
    }
}
