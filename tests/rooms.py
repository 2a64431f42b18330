#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which room of src/ includes which: each may include itself and the rooms listed before it.

docs/design.md says what lives in each room. A room that is not listed here is an error too.
"""
import pathlib
import re
import sys

ROOMS = ["base", "exact", "soup", "tree", "wide", "model", "walk", "wide_walk", "front", "query", "hull", "solid", "scene", "study"]


def main():
    src = pathlib.Path(__file__).resolve().parent.parent / "src"
    wrong = []
    for path in sorted(src.rglob("*")):
        if path.suffix not in {".hpp", ".cpp"}:
            continue
        name = path.relative_to(src)
        if len(name.parts) != 2 or name.parts[0] not in ROOMS:
            wrong.append(f"src/{name}: not in one of the rooms {', '.join(ROOMS)}")
            continue
        allowed = ROOMS[: ROOMS.index(name.parts[0]) + 1] + ["graze"]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'#include "([^"]+)"', line)
            if match and match[1].split("/")[0] not in allowed:
                wrong.append(f"src/{name}:{number}: {name.parts[0]}/ may not include {match[1]}")
    print("\n".join(wrong) if wrong else "every include follows the order of the rooms")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
