package dev.semel.api;

import com.sun.source.util.JavacTask;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.TypeParameterElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Lists what other code can compile against: the public and protected types and members of some packages, as the compiler reads them
 * from class files. Nothing is loaded, so a type that is missing from the class path does no harm.
 */
final class ApiListing {
    private static final Set<Modifier> SHOWN = Set.of(
            Modifier.PUBLIC,
            Modifier.PROTECTED,
            Modifier.STATIC,
            Modifier.ABSTRACT,
            Modifier.FINAL,
            Modifier.DEFAULT,
            Modifier.SEALED,
            Modifier.NON_SEALED);
    private static final Set<String> OF_EVERY_OBJECT = Set.of("equals(Object)", "hashCode()", "toString()");

    private final Elements elements;

    private ApiListing(Elements elements) {
        this.elements = elements;
    }

    /** The API of the packages, found on the class path. */
    static Api of(String classPath, Collection<String> packages) {
        JavaFileObject nothing =
                new SimpleJavaFileObject(URI.create("mem:///Nothing.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return "class Nothing {}";
                    }
                };
        JavacTask task = (JavacTask) ToolProvider.getSystemJavaCompiler()
                .getTask(
                        null,
                        null,
                        diagnostic -> {},
                        List.of("-proc:none", "-classpath", classPath),
                        null,
                        List.of(nothing));
        ApiListing listing = new ApiListing(task.getElements());
        Api api = new Api();
        for (String name : packages) {
            PackageElement found = listing.elements.getPackageElement(name);
            if (found == null) {
                throw new IllegalArgumentException("There is no package " + name + " on " + classPath);
            }
            ElementFilter.typesIn(found.getEnclosedElements()).forEach(type -> listing.list(type, api));
        }
        return api;
    }

    static Api of(Path classes, String... packages) {
        return of(classes.toString(), List.of(packages));
    }

    private void list(TypeElement type, Api api) {
        if (isVisible(type)) {
            api.add(type.getQualifiedName().toString(), header(type), members(type));
            ElementFilter.typesIn(type.getEnclosedElements()).forEach(nested -> list(nested, api));
        }
    }

    private static boolean isVisible(Element element) {
        Set<Modifier> modifiers = element.getModifiers();
        return modifiers.contains(Modifier.PUBLIC) || modifiers.contains(Modifier.PROTECTED);
    }

    private static String header(TypeElement type) {
        String permitted = type.getPermittedSubclasses().stream()
                .map(each -> ((DeclaredType) each).asElement().toString())
                .sorted()
                .collect(Collectors.joining(", "));
        return modifiers(type)
                + switch (type.getKind()) {
                    case ANNOTATION_TYPE -> "@interface ";
                    case ENUM -> "enum ";
                    case INTERFACE -> "interface ";
                    case RECORD -> "record ";
                    default -> "class ";
                }
                + type.getQualifiedName()
                + parameters(type.getTypeParameters())
                + (permitted.isEmpty() ? "" : " permits " + permitted);
    }

    private Set<String> members(TypeElement type) {
        Set<String> members = new TreeSet<>();
        if (isNews(type.getSuperclass())) {
            members.add("extends " + text(type.getSuperclass()));
        }
        type.getInterfaces().stream()
                .filter(ApiListing::isNews)
                .forEach(each -> members.add("implements " + text(each)));
        for (Element member : elements.getAllMembers(type)) {
            if (isVisible(member) && isListedWith(member, type)) {
                describe(member, type, members);
            }
        }
        return members;
    }

    /** Whether users can name the supertype, and the kind of the type does not imply it. */
    private static boolean isNews(TypeMirror supertype) {
        return supertype instanceof DeclaredType declared
                && isVisible(declared.asElement())
                && !text(supertype).matches("Object|Record|Enum<.*>|java\\.lang\\.annotation\\.Annotation");
    }

    /** Members of a supertype that is not listed itself, because it is package-private, are members of the type. */
    private boolean isListedWith(Element member, TypeElement type) {
        TypeElement declaring = (TypeElement) member.getEnclosingElement();
        boolean inSamePackage = elements.getPackageOf(declaring).equals(elements.getPackageOf(type));
        return declaring.equals(type) || inSamePackage && !isVisible(declaring);
    }

    private void describe(Element member, TypeElement type, Set<String> members) {
        boolean subclassed = !type.getModifiers().contains(Modifier.FINAL) && type.getKind() == ElementKind.CLASS;
        if (member.getModifiers().contains(Modifier.PROTECTED) && !subclassed) {
            return;
        }
        switch (member.getKind()) {
            case ENUM_CONSTANT -> members.add("constant " + member.getSimpleName());
            case FIELD -> members.add(field((VariableElement) member));
            case CONSTRUCTOR, METHOD -> {
                ExecutableElement method = (ExecutableElement) member;
                if (isWritten(method) && !OF_EVERY_OBJECT.contains(signature(method))) {
                    members.add(method(method, type));
                }
            }
            default -> {} // types are listed for themselves
        }
    }

    /** Whether it is more than what the compiler gives to every enum. */
    private boolean isWritten(ExecutableElement method) {
        boolean ofEnum = method.getEnclosingElement().getKind() == ElementKind.ENUM
                && (method.getSimpleName().contentEquals("values")
                        || method.getSimpleName().contentEquals("valueOf"));
        return !ofEnum && !elements.isBridge(method);
    }

    private String field(VariableElement field) {
        Object value = field.getConstantValue();
        return modifiers(field)
                + text(field.asType())
                + " "
                + field.getSimpleName()
                + (value == null ? "" : " = " + elements.getConstantExpression(value));
    }

    private static String method(ExecutableElement method, TypeElement type) {
        boolean constructs = method.getKind() == ElementKind.CONSTRUCTOR;
        String parameters = parameters(method.getTypeParameters());
        String thrown =
                method.getThrownTypes().stream().map(ApiListing::text).sorted().collect(Collectors.joining(", "));
        return modifiers(method)
                + (parameters.isEmpty() ? "" : parameters + " ")
                + (constructs ? "" : text(method.getReturnType()) + " ")
                + (constructs ? "new" : method.getSimpleName())
                + arguments(method)
                + (thrown.isEmpty() ? "" : " throws " + thrown)
                + (type.getKind() == ElementKind.ANNOTATION_TYPE && method.getDefaultValue() != null ? " default" : "");
    }

    private static String signature(ExecutableElement method) {
        return method.getSimpleName() + arguments(method);
    }

    private static String arguments(ExecutableElement method) {
        List<String> types = new ArrayList<>();
        method.getParameters().forEach(parameter -> types.add(text(parameter.asType())));
        String all = String.join(", ", types);
        return "(" + (method.isVarArgs() ? all.replaceFirst("\\[\\]$", "...") : all) + ")";
    }

    private static String modifiers(Element element) {
        Stream<String> shown = element.getModifiers().stream()
                .filter(SHOWN::contains)
                .filter(each -> !isImplied(each, element))
                .sorted()
                .map(Modifier::toString);
        Stream<String> old = element.getAnnotationMirrors().stream()
                .map(AnnotationMirror::getAnnotationType)
                .filter(each -> each.toString().equals("java.lang.Deprecated"))
                .map(each -> "@Deprecated");
        return Stream.concat(old, shown).map(each -> each + " ").collect(Collectors.joining());
    }

    private static boolean isImplied(Modifier modifier, Element element) {
        return switch (element.getKind()) {
            case INTERFACE, ANNOTATION_TYPE -> modifier == Modifier.ABSTRACT || modifier == Modifier.STATIC;
            case ENUM -> modifier == Modifier.FINAL || modifier == Modifier.STATIC || modifier == Modifier.ABSTRACT;
            case RECORD -> modifier == Modifier.FINAL || modifier == Modifier.STATIC;
            default -> false;
        };
    }

    private static String parameters(List<? extends TypeParameterElement> parameters) {
        return parameters.isEmpty()
                ? ""
                : parameters.stream()
                        .map(each -> {
                            String bounds = each.getBounds().stream()
                                    .map(ApiListing::text)
                                    .collect(Collectors.joining(" & "));
                            return each + (bounds.equals("Object") || bounds.isEmpty() ? "" : " extends " + bounds);
                        })
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    /** A type without the packages that everybody knows, and without its nullness, which older compilers do not read. */
    private static String text(TypeMirror type) {
        return type.toString()
                .replaceAll(" ?@[\\w.]+ ?(?=\\[)", "")
                .replaceAll("@[\\w.]+ ", "")
                .replaceAll("\\b(java\\.lang|java\\.util)\\.(?=[A-Z])", "");
    }
}
