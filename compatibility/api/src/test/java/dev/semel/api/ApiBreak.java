package dev.semel.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A change after which code that compiled against the API before may not compile, link or mean the same any more.
 *
 * @param type the qualified name
 * @param member its simple name; absent when the type itself has changed
 */
record ApiBreak(String type, Optional<String> member, String what) {
    private static final Pattern MODIFIERS =
            Pattern.compile("^((?:@Deprecated|public|protected|static|abstract|final|default|sealed|non-sealed) )*");

    /** @param implementedBySemel interfaces that no user implements: methods may be added to them */
    static List<ApiBreak> between(Api before, Api now, Set<String> implementedBySemel) {
        List<ApiBreak> breaks = new ArrayList<>();
        before.types().forEach((name, old) -> {
            Api.Type present = now.types().get(name);
            if (present == null) {
                breaks.add(new ApiBreak(name, Optional.empty(), "removed: " + old.header()));
                return;
            }
            if (!fits(old.header(), present.header())) {
                breaks.add(new ApiBreak(name, Optional.empty(), "was: " + old.header() + "; is: " + present.header()));
            }
            members(name, old, present, implementedBySemel.contains(name), breaks);
        });
        return breaks;
    }

    private static void members(
            String type, Api.Type old, Api.Type present, boolean implementedBySemel, List<ApiBreak> breaks) {
        Map<String, String> shapes = shapes(present);
        for (String member : old.members()) {
            String same = shapes.get(shape(member));
            if (same == null || !fits(member, same)) {
                String now = same == null ? "" : "; is: " + same;
                breaks.add(new ApiBreak(type, Optional.of(nameOf(member)), "was: " + member + now));
            }
        }
        Set<String> known = shapes(old).keySet();
        shapes.forEach((shape, member) -> {
            boolean mustBeImplemented =
                    member.matches("(@Deprecated |public |protected )*abstract .*") && !member.endsWith(" default");
            if (!known.contains(shape) && mustBeImplemented && !implementedBySemel && !present.isSealedOrFinal()) {
                breaks.add(new ApiBreak(type, Optional.of(nameOf(member)), "must now be implemented: " + member));
            }
        });
    }

    private static Map<String, String> shapes(Api.Type type) {
        Map<String, String> shapes = new TreeMap<>();
        type.members().forEach(member -> shapes.put(shape(member), member));
        return shapes;
    }

    /** Without its modifiers; whether an annotation's element has a default is no part of it either. */
    private static String shape(String declaration) {
        return MODIFIERS.matcher(declaration).replaceFirst("").replaceFirst("\\) default$", ")");
    }

    /** Whether what could be done with the old declaration can be done with the new one. */
    private static boolean fits(String old, String present) {
        if (!shape(old).equals(shape(present))) {
            return false;
        }
        Set<String> before = modifiers(old);
        Set<String> now = modifiers(present);
        boolean asVisible = now.contains("public") || !before.contains("public");
        boolean asStatic = now.contains("static") == before.contains("static");
        boolean asOpen = Set.of("final", "sealed", "abstract").stream()
                .noneMatch(each -> now.contains(each) && !before.contains(each));
        boolean asOptional = !old.endsWith(") default") || present.endsWith(") default");
        return asVisible && asStatic && asOpen && asOptional;
    }

    private static Set<String> modifiers(String declaration) {
        Matcher matcher = MODIFIERS.matcher(declaration);
        return matcher.find() ? Set.of(matcher.group().strip().split(" ")) : Set.of();
    }

    /** The name in a member such as {@code public <P> Sent send(Channel<P>, Message<P>) throws Exception}. */
    private static String nameOf(String member) {
        String declared = member.replaceFirst(" = .*", "").replaceFirst("\\).*", ")");
        String named = declared.replaceFirst("\\(.*", "");
        return named.substring(named.lastIndexOf(' ') + 1);
    }

    /** As it is written in the changelog: {@code Semel.Settings.withMode}. */
    String name() {
        return type.replaceFirst("^([a-z0-9_]+\\.)+", "")
                + member.map(each -> "." + each).orElse("");
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s: %s", name(), what);
    }
}
