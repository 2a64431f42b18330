#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pages of the reference, one per header, from doxygen's XML: docs/api.py XML-FOLDER INCLUDE-FOLDER OUT-FOLDER

Declarations are shown as the headers have them. Ends with 1 and a list when a public symbol has no comment. A comment
covers what is declared below it without a blank line. Fields of structures, operators and constructors need none.
"""
import html
import re
import sys
import textwrap
import xml.etree.ElementTree as ElementTree
from pathlib import Path

INTERNAL = {"impl", "data", "Impl"}  # public by name only: users cannot use them
ORDER = ["model", "query", "result", "soup", "math", "box", "triangle", "region", "ray", "front", "scene", "hull", "study"]

STUDY = ("Settings and measures for experiments, in the namespace `graze::study`. No setting here changes an answer, and the\n"
         "defaults of the other headers are the fastest by measurement. `graze/graze.hpp` does not include this header.\n\n")


def text_of(node, links):
    """Doxygen's prose as Markdown."""
    if node is None:
        return ""
    out = node.text or ""
    for child in node:
        inner = text_of(child, links)
        if child.tag == "para":
            inner = inner.strip() + "\n\n"
        elif child.tag == "computeroutput":
            inner = inner if "`" in inner else f"`{inner}`"
        elif child.tag == "emphasis":
            inner = f"*{inner}*"
        elif child.tag == "verbatim":  # an indented example
            inner = f"\n\n```cpp\n{textwrap.dedent(inner).strip()}\n```\n\n"
        elif child.tag == "ref":
            target = links.get(child.get("refid"))
            code = node.tag == "computeroutput" or child.get("kindref") == "compound"
            inner = f"`{inner}`" if code else inner
            inner = f"[{inner}]({target})" if target else inner
        else:
            sys.exit(f"docs/api.py: no rule for <{child.tag}> in a comment")
        out += inner + (child.tail or "")
    return out


def comment_of(node, links):
    both = [text_of(node.find(tag), links).strip() for tag in ("briefdescription", "detaileddescription")]
    text = "\n\n".join(part for part in both if part)
    return re.sub(r"\bdocs/([a-z]+)\.md", r"[\1](../\1.md)", text)


def line_of(node):
    return int(node.find("location").get("line"))


def page_of(node):
    return Path(node.find("location").get("file")).stem


def name_of(node):
    """The name without its namespace. Names of graze::study lose that too: their page says where they are."""
    return re.sub(r"^(graze::)?(study::)?", "", node.findtext("compoundname") or node.findtext("name"))


def table(heads, rows):
    cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in [heads, ["---"] * len(heads), *cells]) + "\n\n"


class Reference:
    def __init__(self, xml, include):
        self.lines = {p.stem: p.read_text().split("\n") for p in include.glob("*.hpp")}
        self.links, self.types, self.missing = {}, {}, []
        self.pages = {}  # header → its symbols
        for path in sorted(xml.glob("*.xml")):
            for compound in ElementTree.parse(path).iter("compounddef"):
                kind, name = compound.get("kind"), compound.findtext("compoundname")
                if kind == "namespace" and name in ("graze", "graze::study"):
                    for member in compound.iter("memberdef"):
                        self.add("", member)
                elif kind in ("struct", "class") and "::Impl" not in name and "detail::" not in name:
                    self.add("", compound)

    def add(self, scope, node):
        name, page = name_of(node), page_of(node)
        if name in INTERNAL or node.get("prot") == "private":
            return
        full = f"{scope}::{name}" if scope else name
        place = f"{page}.md#" + re.sub(r"[^a-z0-9]+", "-", full.lower()).strip("-")
        taken = sum(re.fullmatch(re.escape(place) + r"(-\d+)?", used) is not None for used in self.links.values())
        self.links[node.get("id")] = place + (f"-{taken + 1}" if taken else "")
        if not scope:
            self.pages.setdefault(page, []).append(node)
        if node.tag == "compounddef" or node.get("kind") in ("enum", "typedef"):
            self.types[page == "study", full] = place
        if node.tag == "compounddef":
            for member in node.iter("memberdef"):
                self.add(name, member)

    def declaration(self, node):
        """The source from its template header, if there is one, to the semicolon or body; without comments."""
        lines, first = self.lines[page_of(node)], line_of(node) - 1
        while re.match(r"\s*(template <|requires )", lines[first - 1]):
            first -= 1
        indent = len(lines[first]) - len(lines[first].lstrip())
        source = re.sub(r"\s*//.*", "", "\n".join(text[indent:] for text in lines[first:]))
        end = re.compile(r";|\s\{|\s+: " if node.get("kind") == "function" else ";")
        depth = 0
        for i, character in enumerate(source):
            depth += (character in "([") - (character in ")]")
            if depth == 0 and end.match(source, i):
                return source[:i]
        return source

    def comment(self, node, needed=True):
        text = comment_of(node, self.links)
        if not text and needed:
            self.missing.append(f"include/graze/{page_of(node)}.hpp:{line_of(node)}: {name_of(node)} has no comment")
        return text

    def heading(self, depth, scope, node, names):
        title = html.escape((f"{scope}::" if scope else "") + ", ".join(names), quote=False)
        return f"{'#' * depth} {title} {{ #{self.links[node.get('id')].split('#')[1]} }}\n\n"

    def signature(self, nodes, headed):
        """Declarations with links to the types that they name, and places for those that have no heading."""
        def link(match):
            studied = page_of(nodes[0]) == "study" and self.types.get((True, match[0]))
            target = (studied or self.types.get((False, match[0]), "")).replace(".md", ".html")
            return f'<a href="{target}">{match[0]}</a>' if target else match[0]

        lines = []
        for node in nodes:
            place = self.links[node.get("id")].split("#")[1]
            lines.append(f'<span id="{place}"></span>' if name_of(node) != headed else "")
            lines[-1] += re.sub(r"\b[A-Z]\w+\b", link, html.escape(self.declaration(node), quote=False))
        return '<pre class="signature"><code>' + "\n".join(lines) + "</code></pre>\n\n"

    def fields(self, nodes):
        rows = []
        for node in nodes:
            kind = "".join(node.find("type").itertext()).replace("< ", "<").replace(" >", ">").replace(" *", "*")
            value = (node.findtext("initializer") or "").replace("= ", "", 1)
            value = f" = {value}" if value and value[0] != "{" else ""
            place = self.links[node.get("id")].split("#")[1]
            rows.append((f'<span id="{place}"></span>`{name_of(node)}`', f"`{kind}{value}`", self.comment(node, False)))
        return table(["member", "type", ""], rows) if rows else ""

    def enumeration(self, node):
        rows = [(f"`{value.findtext('name')}`", comment_of(value, self.links)) for value in node.iter("enumvalue")]
        if any(text for _, text in rows):
            return table(["value", ""], rows)
        return "Values: " + ", ".join(name for name, _ in rows) + ".\n\n"

    def together(self, before, node):
        """Overloads, or a function without a comment below another one: they make one entry."""
        if before.get("kind") != "function" or node.get("kind") != "function":
            return False
        between = self.lines[page_of(node)][line_of(before):line_of(node) - 1]
        return name_of(before) == name_of(node) or not comment_of(node, self.links) and "" not in between

    def functions(self, scope, nodes, depth):
        names = list(dict.fromkeys(name_of(n) for n in nodes))
        out = self.heading(depth, scope, nodes[0], names) if names != [scope] else ""
        runs = []
        for node in nodes:
            named = not all(n.startswith("operator") or n == scope for n in names)
            text = self.comment(node, needed=named and not runs)
            if text or not runs:
                runs.append(([], text))
            runs[-1][0].append(node)
        return out + "".join(self.signature(run, names[0]) + (f"{text}\n\n" if text else "") for run, text in runs)

    def members(self, scope, nodes, depth):
        nodes = [n for n in nodes if n.get("prot") in (None, "public") and n.get("kind") != "friend"
                 and name_of(n) not in INTERNAL and not re.match(r"~|operator=$", name_of(n))
                 and "&&) noexcept" not in self.declaration(n)]
        fields = [n for n in nodes if n.get("kind") == "variable" and scope]
        out, groups = self.fields(fields), []
        for node in sorted((n for n in nodes if n not in fields), key=line_of):
            if groups and self.together(groups[-1][-1], node):
                groups[-1].append(node)
            else:
                groups.append([node])
        for group in groups:
            node, kind, name = group[0], group[0].get("kind"), name_of(group[0])
            if kind == "function":
                out += self.functions(scope, group, depth)
                continue
            out += self.heading(depth, scope, node, [name])
            out += self.signature([node], name) if kind in ("variable", "typedef") else ""
            out += self.comment(node) + "\n\n"
            if kind == "enum":
                out += self.enumeration(node)
            elif kind in ("struct", "class"):
                out += self.members(name, list(node.iter("memberdef")), depth + 1)
        return out

    def write(self, out):
        out.mkdir(parents=True, exist_ok=True)
        rows = []
        for page in sorted(self.pages, key=lambda p: (ORDER.index(p) if p in ORDER else 99, p)):
            nodes = sorted(self.pages[page], key=line_of)
            note = STUDY if page == "study" else ""
            (out / f"{page}.md").write_text(f"# graze/{page}.hpp\n\n{note}{self.members('', nodes, 2)}")
            found = {name_of(n): self.links[n.get("id")] for n in reversed(nodes)}
            shown = [f"[`{n}`]({found[n]})" for n in reversed(found) if not n.startswith("operator") and "::" not in n]
            rows.append((f"[graze/{page}.hpp]({page}.md)", ", ".join(shown)))
        (out / "index.md").write_text(
            "# API reference\n\nEach header has a page, which is made from its comments.\n"
            "`#include <graze/graze.hpp>` includes all headers but `graze/gpu.hpp`, `graze/tree.hpp` and `graze/study.hpp`.\n"
            "Everything is in the namespace `graze`, and what `gpu.hpp` and `study.hpp` declare is in `graze::gpu` and `graze::study`.\n\n"
            + table(["header", "declares"], rows))


if __name__ == "__main__":
    reference = Reference(Path(sys.argv[1]), Path(sys.argv[2]))
    reference.write(Path(sys.argv[3]))
    if reference.missing:
        sys.exit("\n".join(reference.missing))
