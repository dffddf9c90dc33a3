package dev.semel.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The core keeps to its rooms; and each rule finds what was planted for it, so that its silence means something. */
class RoomsTest {
    private static final String ROOT = "dev.semel";
    private static final String PLANTED = "dev.semel.architecture.planted";
    /** Twenty that a newcomer meets, and three for those who need them: Death, CallStatus, Cancellation. */
    private static final int FRONT_DOOR = 23;

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);
    private static final JavaClasses FIXTURE = new ClassFileImporter().importPackages(PLANTED);

    record Rule(String name, Function<Rooms, ArchRule> rule, List<String> planted) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Each with the methods (or classes) of the fixture that break it, and no others. */
    static Stream<Rule> rules() {
        return Stream.of(
                rule("every package is a room", Rooms::everyPackageIsARoom, "attic.Trunk"),
                rule(
                        "rooms import only rooms below",
                        Rooms::roomsImportOnlyRoomsBelow,
                        "key.Climber.upwards",
                        "audit.Right.left"),
                rule("the front door needs java only", Rooms::theFrontDoorNeedsJavaOnly, "Guest.foreign"),
                rule(
                        "no SQL",
                        Rooms::noSql,
                        "execution.Database.taken",
                        "execution.Database.commit",
                        "execution.Database.state",
                        "policy.Errors.schema"),
                rule(
                        "time is read in its room",
                        Rooms::timeIsReadInItsRoom,
                        "execution.Clock.wall",
                        "execution.Clock.monotonic",
                        "execution.Clock.instant",
                        "execution.Clock.reference",
                        "execution.Clock.local",
                        "execution.Clock.clock",
                        "execution.Clock.date",
                        "execution.Clock.sleep",
                        "execution.Clock.unit",
                        "execution.Clock.park"),
                rule(
                        "blocking is done at gates",
                        Rooms::blockingIsDoneAtGates,
                        "execution.Waiter.monitor",
                        "execution.Waiter.latch",
                        "execution.Waiter.condition",
                        "execution.Waiter.semaphore",
                        "execution.Waiter.queue",
                        "execution.Waiter.future",
                        "execution.Waiter.join",
                        "execution.Waiter.thread"),
                rule(
                        "threads are made where they belong",
                        Rooms::threadsAreMadeWhereTheyBelong,
                        "execution.Threads.thread",
                        "execution.Threads.executor",
                        "execution.Threads.pool",
                        "execution.Threads.common",
                        "execution.Threads.async",
                        "execution.Threads.parallel",
                        "execution.Threads.timer",
                        "store.Committee.thread"),
                rule(
                        "nothing prints or exits",
                        Rooms::nothingPrintsOrExits,
                        "execution.Printer.out",
                        "execution.Printer.err",
                        "execution.Printer.exit",
                        "execution.Printer.halt",
                        "execution.Printer.stack"),
                rule(
                        "randomness is handed in",
                        Rooms::randomnessIsHandedIn,
                        "execution.Dice.math",
                        "execution.Dice.uuid",
                        "execution.Dice.threadLocal",
                        "execution.Dice.seeded",
                        "execution.Dice.secure",
                        "execution.Dice.generator",
                        "execution.Dice.shuffle"));
    }

    private static Rule rule(String name, Function<Rooms, ArchRule> rule, String... planted) {
        return new Rule(name, rule, List.of(planted));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void coreKeepsTheRule(Rule rule) {
        assertThat(violations(rule.rule().apply(new Rooms(ROOT)), CORE))
                .as(rule.name())
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void ruleFindsEachPlantedViolation(Rule rule) {
        Pattern origin = Pattern.compile(Pattern.quote(PLANTED + ".") + "([\\w.]+)");
        List<String> found = violations(rule.rule().apply(new Rooms(PLANTED)), FIXTURE).stream()
                .map(origin::matcher)
                .filter(Matcher::find)
                .map(matcher -> matcher.group(1))
                .distinct()
                .toList();
        assertThat(found).as(rule.name()).containsExactlyInAnyOrderElementsOf(rule.planted());
    }

    @Test
    void wholeCoreIsRead() {
        assertThat(CORE.contain(dev.semel.Semel.class)).isTrue();
        assertThat(CORE.contain(dev.semel.store.Store.class)).isTrue();
        assertThat(CORE.contain(RoomsTest.class)).isFalse();
    }

    @Test
    void packagesHaveNoCycles() {
        assertThat(violations(new Rooms(ROOT).packagesHaveNoCycles(), CORE)).isEmpty();
        assertThat(violations(new Rooms(PLANTED).packagesHaveNoCycles(), FIXTURE))
                .singleElement()
                .asString()
                .contains(PLANTED + ".audit", PLANTED + ".ledger");
    }

    @Test
    void theFrontDoorIsSmall() {
        assertThat(violations(new Rooms(ROOT).theFrontDoorIsSmall(FRONT_DOOR), CORE))
                .isEmpty();
        assertThat(violations(new Rooms(PLANTED).theFrontDoorIsSmall(2), FIXTURE))
                .isEmpty();
        assertThat(violations(new Rooms(PLANTED).theFrontDoorIsSmall(1), FIXTURE))
                .singleElement()
                .asString()
                .contains("2 public types", "Guest", "Host");
    }

    private static List<String> violations(ArchRule rule, JavaClasses classes) {
        return rule.evaluate(classes).getFailureReport().getDetails();
    }
}
