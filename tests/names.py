#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no two files define a type, or an inline function or function template, of the same name in the same namespace.

Two such definitions break the one-definition rule where both reach one program. Linkers say nothing: they keep either.
Compilers that merge the program (-flto -Wodr) compare types by their full names, so they miss two class templates whose
parameters differ. This check reads the sources instead. It needs no build and takes a second. Types in an unnamed
namespace, or inside a class, cannot collide and are left out; so are specialisations of a template.
"""
import collections
import pathlib
import re
import sys

FOLDERS = ["include", "src", "gpu", "files", "checks", "report", "apps", "scenes"]

NAMESPACE = re.compile(r"(?:inline\s+)?namespace\b\s*([\w:]*)\s*$")
TYPE = re.compile(r"\b(?:struct|class|enum(?:\s+class)?|union)\s+([A-Za-z_]\w*)\s*(?:final\s*)?(?::[^:].*)?$", re.S)
FUNCTION = re.compile(r"^(?:template\s*<|(?:\w+\s+)*(?:inline|constexpr|HWY_INLINE|HWY_API)\s).*?([A-Za-z_]\w*)\s*"
                      r"(\((?!.*=\s*$).*\))\s*(?:const|noexcept|\s)*$", re.S)


def without_comments_and_strings(text):
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\d)\'(?:\\.|[^\'\\\n])\'', re.S)
    return pattern.sub(lambda m: "\n" * m[0].count("\n"), text)


def definitions(path):
    """Yields (qualified name, line) of what the file defines in named namespaces."""
    text = without_comments_and_strings(path.read_text())
    text = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", "", text, flags=re.M)
    text = re.sub(r"\bHWY_(?:BEFORE|AFTER)_NAMESPACE\(\);", "", text)
    text = re.sub(r"\[\[.*?\]\]|\balignas\([^)]*\)", " ", text)
    scopes = []  # the name of each namespace that is open; None for anything else
    start = 0
    for match in re.finditer(r"[{};]", text):
        head = text[start:match.start()].strip()
        line = text.count("\n", 0, match.start()) + 1
        start = match.end()
        if match[0] == "}":
            if scopes:
                scopes.pop()
            continue
        if match[0] == ";":
            continue
        namespace = NAMESPACE.search(head)
        if namespace:
            scopes.append(namespace[1])
            continue
        if all(scopes):
            head = re.sub(r"^(?:template\s*<[^;{]*?>\s*)(?=struct|class|union)", "", head)
            named = TYPE.search(head) if "(" not in head and "=" not in head else None
            if named:
                yield "::".join(scopes + [named[1]]), line
            elif function := FUNCTION.search(head):
                parameters = re.sub(r"\s+", " ", function[2])
                yield "::".join(scopes + [function[1]]) + parameters, line
        scopes.append(None)


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    places = collections.defaultdict(dict)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".hpp", ".cpp"}:
                for name, line in definitions(path):
                    places[name].setdefault(path.relative_to(root), line)
    clashes = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(clashes.items()):
        print(f"{name} is defined in " + " and ".join(f"{path}:{line}" for path, line in where.items()))
    if not clashes:
        print(f"{len(places)} types, inline functions and function templates, each defined in one file")
    return 1 if clashes or not places else 0


if __name__ == "__main__":
    sys.exit(main())
