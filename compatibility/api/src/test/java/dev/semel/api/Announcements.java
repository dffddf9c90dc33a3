package dev.semel.api;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names in backticks under Changed and Removed of the changelog's part for the next version. */
final class Announcements {
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private final Set<String> names = new HashSet<>();

    Announcements(List<String> changelog) {
        boolean unreleased = false;
        boolean breaking = false;
        for (String line : changelog) {
            if (line.startsWith("## ")) {
                unreleased = line.equals("## Unreleased");
            } else if (line.startsWith("### ")) {
                breaking = line.equals("### Changed") || line.equals("### Removed");
            } else if (unreleased && breaking) {
                Matcher code = CODE.matcher(line);
                while (code.find()) {
                    names.add(code.group(1).replaceFirst("\\(.*", ""));
                }
            }
        }
    }

    boolean tell(ApiBreak change) {
        return names.contains(change.name());
    }
}
