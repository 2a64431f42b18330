#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the files of a build that are in some folders: script/tidy.py BUILD FOLDER...

clang-tidy spends its time on the headers of other projects, again for each file. Files that are compiled alike are
therefore joined, up to eight at once, where their names do not collide. A joined file that was clean is not looked at
again until its text after preprocessing, or the list of checks, changes. The exit status is 1 if there are faults.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
AT_ONCE = 8


def units(build, folders):
    """Groups of (flags, working folder, files): files of one folder that are compiled alike."""
    groups, seen = {}, set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        # CMake joins the files of some targets itself, in a folder of the build named like that of the sources.
        joined = path.is_relative_to(build)
        name = path.relative_to(build if joined else ROOT)
        if (joined and "Unity" not in name.parts) or not name.as_posix().startswith(folders) or path in seen:
            continue
        seen.add(path)
        words = shlex.split(entry["command"])
        flags = []
        for word, before in zip(words, [""] + words):
            if word not in ("-c", "-o") and before not in ("-c", "-o"):
                flags.append(word)
        groups.setdefault((tuple(flags), entry["directory"], name.parent), []).append(path)
    for (flags, directory, _), paths in groups.items():
        for first in range(0, len(paths), AT_ONCE):
            yield flags, directory, sorted(paths)[first:first + AT_ONCE]


class Tidy:
    def __init__(self, build):
        self.build = build
        self.folder = build / "joined"
        self.folder.mkdir(exist_ok=True)
        (self.folder / "clean").mkdir(exist_ok=True)
        self.version = subprocess.run(["clang-tidy-19", "--version"], capture_output=True, check=True).stdout
        self.outputs = []

    def checks(self, path):
        """The list of checks for a file's folder. A joined file is elsewhere, so clang-tidy would not find it."""
        return next(p for p in (folder / ".clang-tidy" for folder in path.parents) if p.exists())

    def run(self, unit):
        flags, directory, paths = unit
        text = ""
        for number, path in enumerate(paths):
            # Each program has a main.
            text += f'#define main main_{number}\n#include "{path}"\n#undef main\n'
        name = hashlib.sha256("\n".join([*map(str, paths), *flags]).encode()).hexdigest()[:16]
        joined = paths[0] if len(paths) == 1 else self.folder / f"{name}.cpp"
        if len(paths) > 1:
            joined.write_text(text)
            parse = subprocess.run([*flags, "-fsyntax-only", joined], cwd=directory, capture_output=True)
            if parse.returncode != 0:
                half = len(paths) // 2
                return self.run((flags, directory, paths[:half])) + self.run((flags, directory, paths[half:]))
        config = self.checks(paths[0])
        plain = subprocess.run([*flags, "-E", "-C", joined], cwd=directory, capture_output=True)
        settings = b"".join(p.read_bytes() for p in sorted({config, ROOT / ".clang-tidy"}))
        stamp = self.folder / "clean" / hashlib.sha256(plain.stdout + settings + self.version).hexdigest()
        if plain.returncode == 0 and stamp.exists():
            return []
        command = ["clang-tidy-19", "--quiet", f"--config-file={config}", str(joined), "--", *flags[1:]]
        result = subprocess.run(command, cwd=directory, capture_output=True, text=True)
        faults = [self.shown(line) for line in result.stdout.splitlines() if re.match(r"/.*: (warning|error): ", line)]
        if result.returncode == 0 and not faults:
            stamp.touch()
        elif not faults:
            faults = [f"{joined}: clang-tidy failed\n{result.stderr}"]
        self.outputs.append(result.stdout)
        return faults

    @staticmethod
    def shown(line):
        return line.removeprefix(str(ROOT) + os.sep)


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    build = pathlib.Path(sys.argv[1]).resolve()
    folders = tuple(folder + "/" for folder in sys.argv[2:])
    start = time.monotonic()
    tidy = Tidy(build)
    todo = list(units(build, folders))
    count = sum(len(paths) for _, _, paths in todo)
    if not count:
        print("== clang-tidy: no file there is compiled by itself; headers are checked with the files that include them")
        return 0
    faults = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, found in enumerate(pool.map(tidy.run, todo), 1):
            # A fault in a header is found once for every file that includes it.
            for fault in found:
                if fault not in faults:
                    print(fault, flush=True)
                faults.add(fault)
            if sys.stderr.isatty():
                print(f"\r{done} of {len(todo)}", end="\r", file=sys.stderr)
    (build / "tidy.txt").write_text("".join(tidy.outputs))
    if faults:
        print(f"script/lint: {len(faults)} faults; {build / 'tidy.txt'} shows them with their code", file=sys.stderr)
        return 1
    print(f"== clang-tidy: {count} files without faults, in {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
