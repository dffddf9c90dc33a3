package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every code, every scenario and every kind of bad input has a test that bears its name and runs in both containers. */
class ContractRowsTest {
    private static final List<Class<?>> TESTS = List.of(
            KeyTest.class,
            ScopeTest.class,
            BodyTest.class,
            ReplayTest.class,
            RefusalTest.class,
            VersionTest.class,
            TracesTest.class,
            CrashTest.class,
            FormTest.class,
            OriginsTest.class,
            StreamTest.class,
            StatusResourceTest.class);

    /** What is tested under the name of the input that leads to it. */
    private static String row(ProblemCode code) {
        return switch (code) {
            case BODY_INCOMPLETE -> "e6_bodyShorterThanItSays";
            case UNAUTHENTICATED -> "e2_anonymousRequest";
            case NO_TENANT -> "badInput_principalWithoutATenant";
            case FORBIDDEN -> "e3_revokedCaller";
            default -> "row_" + code.name().toLowerCase(Locale.ROOT) + "_";
        };
    }

    static Stream<String> badInput() {
        return Stream.of(
                "e6_bodyShorterThanItSays",
                "e6_bodyLongerThanItSays",
                "row_key_invalid_keyThatIsSentTwice",
                "badInput_keyInAQueryParameter",
                "badInput_responseThatFailsHalfWay",
                "badInput_principalWithoutATenant");
    }

    static Stream<String> scenarios() {
        return IntStream.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 14).mapToObj(number -> "e" + number + "_");
    }

    @ParameterizedTest
    @EnumSource
    void everyProblemCodeHasATest(ProblemCode code) {
        demand(row(code));
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void everyScenarioHasATest(String name) {
        demand(name);
    }

    @ParameterizedTest
    @MethodSource("badInput")
    void everyKindOfBadInputHasATest(String name) {
        demand(name);
    }

    private static void demand(String name) {
        List<Method> found = TESTS.stream()
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(method -> method.isAnnotationPresent(Test.class))
                .filter(method ->
                        method.getName().startsWith(name) || method.getName().contains("_" + name))
                .toList();
        assertThat(found).as(name).isNotEmpty().allMatch(ContractRowsTest::isInBoth, "runs in both containers");
    }

    /** The one of two servers has one in each. */
    private static boolean isInBoth(Method method) {
        Class<?> type = method.getDeclaringClass();
        EnumSource source = type.getAnnotation(EnumSource.class);
        boolean each = type.isAnnotationPresent(ParameterizedClass.class)
                && source != null
                && source.value() == Container.class
                && source.names().length == 0;
        return each || method.getName().startsWith("e7_");
    }
}
