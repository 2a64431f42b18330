#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom.

The rooms of src/ are in order: each may include itself and the rooms listed before it. The other folders may include what
FOLDERS lists. No room has more lines than LINES. docs/design.md says what lives where. A room or folder that is not
listed here is an error too.
"""
import pathlib
import re
import sys

ROOMS = ["base", "exact", "soup", "tree", "wide", "model", "walk", "wide_walk", "front", "query", "hull", "solid",
         "shape", "scene", "robot", "study"]
LINES = 3900

# Public headers, graze/, may be included by all.
PRODUCT = ["files", "checks", "report"]
FOLDERS = {
    "include": [],
    "gpu": ["gpu", *ROOMS],
    "files": ["files", "base", "exact", "soup", "robot"],
    "scenes": ["scenes"],
    "checks": ["checks", "files", "scenes", "base"],
    "report": [*PRODUCT, "scenes", "base"],
    "apps": ["apps", *PRODUCT, "scenes", "base"],
    "bindings": [*PRODUCT, "base", "exact", "soup"],
    "bench": ["bench", "files", "checks", "scenes", "tests", *ROOMS],
    "tests": ["tests", "agree", "fuzz", "gpu", *PRODUCT, "scenes", *ROOMS],
    "bindings/python/tests": ["tests", "agree"],
    "examples": [],
}
KNOWN = {"graze", "src", "agree", "fuzz", *ROOMS, *FOLDERS}


def includes(path):
    """Yields (line number, first folder, header) of the includes that name a room or a folder."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+["<](?:\.\./)*([^">]+)[">]', line)
        if match and (first := match[1].split("/")[0]) in KNOWN and "/" in match[1]:
            yield number, first, match[1]


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in {".hpp", ".cpp", ".cu", ".cuh"})


def check(root):
    wrong = []
    lines = dict.fromkeys(ROOMS, 0)
    for path in sources(root / "src"):
        name = path.relative_to(root / "src")
        room = name.parts[0]
        if len(name.parts) != 2 or room not in ROOMS:
            wrong.append(f"src/{name}: not in one of the rooms {', '.join(ROOMS)}")
            continue
        lines[room] += len(path.read_text().splitlines())
        for number, first, header in includes(path):
            if first not in [*ROOMS[: ROOMS.index(room) + 1], "graze"]:
                wrong.append(f"src/{name}:{number}: {room}/ may not include {header}")
    wrong += [f"src/{room} has {n} lines, more than {LINES}" for room, n in lines.items() if n > LINES]

    for folder in sorted(p for p in root.iterdir() if p.is_dir()):
        if folder.name in FOLDERS:
            for path in sources(folder):
                name = path.relative_to(root).as_posix()
                rule = max((f for f in FOLDERS if name.startswith(f + "/")), key=len)
                for number, first, header in includes(path):
                    if first not in [*FOLDERS[rule], "graze"]:
                        wrong.append(f"{name}:{number}: {rule}/ may not include {header}")
        elif folder.name != "src" and not folder.name.startswith((".", "build")) and sources(folder):
            wrong.append(f"{folder.name}/ has code and is not listed in tests/rooms.py")
    return wrong


def main():
    wrong = check(pathlib.Path(__file__).resolve().parent.parent)
    print("\n".join(wrong) if wrong else "every include follows the order of the rooms and folders")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
