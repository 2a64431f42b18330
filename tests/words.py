#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that comments, pages and messages are free of turns of phrase that were given up, because they read badly.

A comment begins with its subject, so none begins with "What" or "Of". Write "invalid placements" for "placements that
are none", "is ignored" for "is of no account", and "the absolute value is used" for "the sign does not count".
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = {".hpp", ".cpp", ".cu", ".cuh", ".h", ".c", ".js", ".mjs", ".ts", ".css"}
HASH = {".py", ".pyi", ".sh", ".cmake", ".in", ".yml", ".toml", ""}
TEXT = {".md", ".html", ".json", ".txt"} | CODE | HASH
# Input of fuzzers, results, texts of other projects, and this list.
SKIPPED = re.compile(r"^(tests/fuzz/corpus/|bench/results/|LICENSE$|tests/words\.py$|.*lock\.json$)")

TURNS = re.compile(r"\bthat\s+(?:is|are|was|were)\s+none(?=\s*[.,;:)\"\]|]|\s+(?:and|comes|is)\b)|\b(?:is|are)\s+none\s+that\b"
                   r"|\bof\s+no\s+account\b|\bsign\s+does\s+not\s+count\b", re.I)
# A line of a comment: the text after the mark. A question ("What is it?") may begin so.
SLASHES = re.compile(r"^\s*(?://[/!]?<?|/?\*\*?(?!/))[ \t]*(.*)$")
TRAILING = re.compile(r"(?<=[\s;{},)])//[/!]?<?[ \t]*((?:What|Of)\b[^\"]*)$")
HASHES = re.compile(r"^\s*#(?!!)[ \t]*(.*)$")
TRAILING_HASH = re.compile(r"\s\s#[ \t]*((?:What|Of)\b[^\"']*)$")
DOCSTRING = re.compile(r"^\s*[rf]?\"\"\"[ \t]*(.*)$")


def comment_starts(path, lines):
    """Yields (line number, text) of each line on which a comment begins."""
    code = path.suffix in CODE  # otherwise comments begin with #
    line_form, trailing_form = (SLASHES, TRAILING) if code else (HASHES, TRAILING_HASH)
    inside = False
    for number, line in enumerate(lines, 1):
        match = line_form.match(line)
        if match and not (code and match[1] == ""):
            if not inside:
                yield number, match[1]
            inside = match[1] != "" and not match[1].startswith("SPDX-")
            continue
        inside = False
        if match := trailing_form.search(line):
            yield number, match[1]
        elif not code and (match := DOCSTRING.match(line)):
            yield number, match[1]


def faults(path, text):
    """Yields (line number, what is wrong) for a file of that name."""
    lines = text.splitlines()
    if path.suffix in CODE | HASH or path.name == "CMakeLists.txt":
        for number, start in comment_starts(path, lines):
            if re.match(r"(?:What|Of)\s(?!course\b)", start) and "?" not in start:
                yield number, f"a comment begins with \"{start.split()[0]}\": {start.strip()}"
    # A turn may go on over the end of a line and the mark of the next comment line.
    joined = re.sub(r"\n[ \t]*(?://[/!]?|#|\*)?[ \t]*", lambda m: "\n" + " " * (len(m[0]) - 1), text)
    for match in TURNS.finditer(joined):
        number = joined.count("\n", 0, match.start()) + 1
        yield number, "\"" + " ".join(match[0].split()) + "\""


def self_test():
    """The check must find each turn, and must not find what only looks like one."""
    bad = ["// What lies inside.", "int a;  ///< Of the box", "/// Of unit length.", "/* x */\n\n// What it does",
           " * What a page is", "// A placement that is none.", "// placements that\n    // are none.",
           "// It is of no\n/// account.", "f(); // The sign does not count", "// when the robot is none\n// that a GPU takes"]
    good = ["// Nobody knows\n// What lies inside.", "// if there are that is none of them", "x = \"// What\";",
            "// Whatever it is", "// Of course it is", "// What is inside?", "/// The bodies of no accountant",
            "Null that there is none."]
    for text in bad:
        assert list(faults(pathlib.Path("a.hpp"), text)), text
    for text in good:
        assert not list(faults(pathlib.Path("a.hpp"), text)), text
    assert list(faults(pathlib.Path("a.py"), "# What it is"))
    assert list(faults(pathlib.Path("a.py"), '    """What it is."""'))
    assert list(faults(pathlib.Path("CMakeLists.txt"), "add()  # Of a target"))
    assert not list(faults(pathlib.Path("a.md"), "# What it is"))


def main():
    self_test()
    folders = tuple(sys.argv[1:])
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True)
    if listed.returncode != 0:
        print("not a checkout, so there is no list of files")
        return 77
    checked = wrong = 0
    for name in sorted(filter(None, listed.stdout.split("\0"))):
        path = ROOT / name
        if (folders and not name.startswith(folders)) or SKIPPED.match(name) or path.suffix not in TEXT:
            continue
        if not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        checked += 1
        for number, fault in faults(path, text):
            wrong += 1
            print(f"{name}:{number}: {fault}")
    if not wrong:
        print(f"{checked} files without the turns of phrase that were given up")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
