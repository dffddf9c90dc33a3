package dev.semel.architecture;

import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * The rooms of the core, and what each may hold.
 *
 * @param root the front door; the rooms are the packages in it
 */
record Rooms(String root) {
    private static final List<String> TOP_TO_BOTTOM = List.of(
            "engine", "operator", "worker", "execution", "ledger", "audit", "store", "policy", "watch", "key", "time");

    /** The room of a class: a package in the root, with the packages in that; empty for the front door. */
    private String room(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(root) ? "" : name.substring(root.length() + 1).split("\\.", 2)[0];
    }

    private int depth(JavaClass type) {
        String room = room(type);
        return room.isEmpty() ? TOP_TO_BOTTOM.size() : TOP_TO_BOTTOM.indexOf(room);
    }

    private boolean isOurs(JavaClass type) {
        return type.getPackageName().equals(root) || type.getPackageName().startsWith(root + ".");
    }

    ArchRule everyPackageIsARoom() {
        return classes().should(each("be in the front door or in a room of " + TOP_TO_BOTTOM, (type, events) -> {
            if (depth(type) < 0) {
                events.add(violated(type, type.getName() + " is in no room"));
            }
        }));
    }

    ArchRule roomsImportOnlyRoomsBelow() {
        return classes().should(each("import only rooms below their own", (type, events) -> {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (isOurs(target) && depth(target) < depth(type)) {
                    events.add(violated(dependency, dependency.getDescription()));
                }
            }
        }));
    }

    ArchRule packagesHaveNoCycles() {
        return slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return SliceIdentifier.of(type.getPackageName());
                    }

                    @Override
                    public String getDescription() {
                        return "packages";
                    }
                })
                .should()
                .beFreeOfCycles();
    }

    ArchRule theFrontDoorNeedsJavaOnly() {
        return classes()
                .that()
                .resideInAPackage(root)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(root, "java..", "javax.sql", "org.jspecify..");
    }

    ArchRule theFrontDoorIsSmall(int most) {
        return classes().that().resideInAPackage(root).should(new ArchCondition<>("show at most " + most + " types") {
            private final List<String> shown = new ArrayList<>();

            @Override
            public void init(Collection<JavaClass> all) {
                shown.clear();
            }

            @Override
            public void check(JavaClass type, ConditionEvents events) {
                if (type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC)) {
                    shown.add(type.getSimpleName());
                }
            }

            @Override
            public void finish(ConditionEvents events) {
                if (shown.size() > most) {
                    events.add(violated(shown, shown.size() + " public types: " + shown));
                }
            }
        });
    }

    /**
     * A {@code Connection} may be passed through, because an atomic handler works on it, and so may the application's
     * {@code DataSource}; nothing may be done with either. Errors
     * of a database may be looked at where failures are classified.
     */
    ArchRule noSql() {
        return classes().should(each("hold no SQL: only pass a Connection or a DataSource through", (type, events) -> {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                JavaClass target = dependency.getTargetClass().getBaseComponentType();
                boolean passed = target.isEquivalentTo(java.sql.Connection.class)
                        || target.isEquivalentTo(javax.sql.DataSource.class);
                if (isSql(target) && !passed && !isClassified(type, target)) {
                    events.add(violated(dependency, dependency.getDescription()));
                }
            }
            for (JavaAccess<?> access : type.getAccessesFromSelf()) {
                JavaClass target = access.getTargetOwner();
                if (isSql(target) && !isClassified(type, target)) {
                    events.add(violated(access, access.getDescription()));
                }
            }
        }));
    }

    private boolean isClassified(JavaClass type, JavaClass target) {
        return in("policy").test(type) && target.isAssignableTo(java.sql.SQLException.class);
    }

    private static boolean isSql(JavaClass type) {
        return type.getPackageName().equals("java.sql") || type.getPackageName().startsWith("javax.sql");
    }

    ArchRule timeIsReadInItsRoom() {
        return keptIn(
                in("time"),
                "read the time, sleep or park",
                Member.of(System.class, "currentTimeMillis", "nanoTime"),
                Member.of(Thread.class, "sleep", "onSpinWait"),
                Member.of(java.util.concurrent.TimeUnit.class, "sleep", "timedWait", "timedJoin"),
                Member.of(java.util.concurrent.locks.LockSupport.class, "park", "parkNanos", "parkUntil"),
                Member.of(java.time.temporal.TemporalAccessor.class, "now"),
                Member.of(
                        java.time.Clock.class,
                        "systemUTC",
                        "systemDefaultZone",
                        "system",
                        "tick",
                        "tickMillis",
                        "tickSeconds",
                        "tickMinutes"),
                Member.constructor(java.util.Date.class),
                Member.of(java.util.Calendar.class, "getInstance"));
    }

    ArchRule blockingIsDoneAtGates() {
        return keptIn(
                in("time").or(in("worker")),
                "block",
                Member.of(Object.class, "wait"),
                Member.of(Thread.class, "join"),
                Member.of(java.util.concurrent.locks.Condition.class, "await", "awaitNanos", "awaitUntil"),
                Member.of(java.util.concurrent.CountDownLatch.class, "await"),
                Member.of(java.util.concurrent.CyclicBarrier.class, "await"),
                Member.of(java.util.concurrent.Semaphore.class, "acquire"),
                Member.of(java.util.concurrent.BlockingQueue.class, "take", "put"),
                Member.of(java.util.concurrent.Future.class, "get", "join"));
    }

    ArchRule threadsAreMadeWhereTheyBelong() {
        Predicate<JavaClass> groupCommitter = type ->
                in("store").test(type) && outermost(type).getSimpleName().equals("GroupCommitter");
        return keptIn(
                in("time").or(in("worker")).or(groupCommitter),
                "make threads",
                Member.constructor(Thread.class),
                Member.of(Thread.class, "startVirtualThread", "ofVirtual", "ofPlatform", "start"),
                Member.of(java.util.concurrent.Executors.class),
                Member.constructor(java.util.concurrent.ExecutorService.class),
                Member.of(java.util.concurrent.ForkJoinPool.class),
                Member.of(
                        java.util.concurrent.CompletableFuture.class,
                        "supplyAsync",
                        "runAsync",
                        "thenRunAsync",
                        "thenApplyAsync",
                        "thenAcceptAsync",
                        "completeAsync",
                        "orTimeout",
                        "completeOnTimeout",
                        "delayedExecutor"),
                Member.of(java.util.Collection.class, "parallelStream"),
                Member.constructor(java.util.Timer.class));
    }

    ArchRule nothingPrintsOrExits() {
        return keptIn(
                type -> false,
                "print or exit",
                Member.of(System.class, "out", "err", "exit", "console"),
                Member.of(PrintStream.class),
                Member.of(Throwable.class, "printStackTrace"),
                Member.of(Runtime.class, "exit", "halt"));
    }

    ArchRule randomnessIsHandedIn() {
        return keptIn(
                in("engine"),
                "make randomness",
                Member.of(Math.class, "random"),
                Member.of(StrictMath.class, "random"),
                Member.of(java.util.UUID.class, "randomUUID"),
                Member.of(java.util.concurrent.ThreadLocalRandom.class),
                Member.constructor(java.util.Random.class),
                Member.constructor(java.util.SplittableRandom.class),
                Member.of(java.util.random.RandomGenerator.class, "getDefault", "of"),
                Member.of(java.util.random.RandomGeneratorFactory.class),
                Member.of(java.util.Collections.class, "shuffle"));
    }

    private Predicate<JavaClass> in(String room) {
        return type -> room(type).equals(room);
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(Rooms::outermost).orElse(type);
    }

    private static ArchRule keptIn(Predicate<JavaClass> place, String deed, Member... members) {
        DescribedPredicate<JavaClass> elsewhere = DescribedPredicate.describe("are elsewhere", place.negate());
        return classes().that(elsewhere).should(each("not " + deed, (type, events) -> {
            for (JavaAccess<?> access : type.getAccessesFromSelf()) {
                if (List.of(members).stream().anyMatch(member -> member.isTargetOf(access))) {
                    events.add(violated(access, access.getDescription()));
                }
            }
        }));
    }

    private interface Check {
        void check(JavaClass type, ConditionEvents events);
    }

    private static ArchCondition<JavaClass> each(String description, Check check) {
        return new ArchCondition<>(description) {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                check.check(type, events);
            }
        };
    }
}
