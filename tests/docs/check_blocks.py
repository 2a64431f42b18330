#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles, runs or parses every fenced block of README.md and docs/, so that they stay true.

    tests/docs/check_blocks.py --build BUILD [--command GRAZE] [--compiler CXX] [--update] [PAGE]...

A block's language says what is done with it:

    cpp      A program (it has a main) is built against the installed package and run in a folder of samples. Other
             blocks are fragments: those of a page are put together in one function, in their order, and that is run.
    console  Lines `$ command`, each followed by what it prints; run by one shell a page, in a fresh folder of samples.
    cmake    Configured as a project, with `your_program` to link to and the source tree at `graze`.
    yaml     The lines of a pipeline's `run` or `script` are run as those of console; what they print is not compared.
    sh       A list of commands that take long: they have to exist and to be well-formed.
    python   Run with the module of the build, all blocks of a page by one interpreter in a fresh folder of samples. Where
             the build has no module they are only parsed.
    pycon    As python, with prompts and what is printed, as doctest reads it: `...` stands for any text.
    json     Parsed.
    text     Nothing. A fence of any other language, or of none, is an error.

In expected output `…` stands for any text of a line, a line of its own for any number of lines, and a duration for any
duration. `--update` rewrites output that differs, if it has one such line at most. Comments before a block direct it
and do not show on the page:

    <!-- cpp           Code that a page's fragments need and readers do not. Likewise console and python.
    …
    -->
    <!-- file: NAME -->  The next block is that file's text, put into the page's folder.
    <!-- prints -->      The next block, of text, is what the program before it prints.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from doctest import DocTestParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLAIN = {"text"}
DURATION = re.compile(r"\b\d[\d.,]*\s?(ns|µs|ms|s)\b")


@dataclass
class Block:
    page: Path
    line: int  # of its first line of text, from 1
    kind: str
    text: str
    hidden: bool = False
    file: str = ""
    prints: bool = False

    def where(self, line=0):
        return f"{self.page.relative_to(ROOT)}:{self.line + line}"


class Failure(Exception):
    pass


# Runs the blocks of a page, which it reads from standard input.
PAGE_OF_PYTHON = """
import doctest, json, sys
names = {}
for kind, where, line, text in json.load(sys.stdin):
    if kind == "python":
        exec(compile("\\n" * (line - 1) + text, where, "exec"), names)
        continue
    test = doctest.DocTestParser().get_doctest(text, names, where, where, line - 1)
    test.globs = names
    if doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, clear_globs=False).failed:
        sys.exit(1)
"""


def read_blocks(page):
    blocks, lines, i = [], page.read_text().split("\n"), 0
    directive = {}
    while i < len(lines):
        hidden = re.match(r"<!-- (cpp|console|python)$", lines[i])
        fence = re.match(r"(\s*)```(\S*)\s*$", lines[i])
        if hidden or fence:
            end = "-->" if hidden else fence[1] + "```"
            last = next((j for j in range(i + 1, len(lines)) if lines[j] == end), None)
            if last is None:
                raise Failure(f"{page.relative_to(ROOT)}:{i + 1}: this block does not end")
            indent = 0 if hidden else len(fence[1])
            text = "".join(line[indent:] + "\n" for line in lines[i + 1:last])
            blocks.append(Block(page, i + 2, hidden[1] if hidden else fence[2], text, bool(hidden), **directive))
            directive, i = {}, last
        elif m := re.match(r"<!-- file: (\S+) -->$", lines[i]):
            directive = {"file": m[1]}
        elif lines[i] == "<!-- prints -->":
            directive = {"prints": True}
        elif lines[i].strip():
            directive = {}
        i += 1
    return blocks


# Console

def commands(block):
    """(line in the block, command, expected output)"""
    found = []
    for i, line in enumerate(block.text.split("\n")[:-1]):
        if line.startswith("$ "):
            found.append([i, line[2:], []])
        elif not found:
            raise Failure(f"{block.where(i)}: output before the first `$ command`")
        elif found[-1][1].endswith("\\") and not found[-1][2]:
            found[-1][1] += "\n" + line
        else:
            found[-1][2].append(line)
    return found


def pattern(expected):
    out = ""
    for line in expected:
        if line.strip() == "…":
            out += r"(?:.*\n)*?"
        else:
            out += ".*".join(re.escape(part) for part in DURATION.sub("1 ms", line.rstrip()).split("…")) + "\n"
    return re.compile(out)


def matches(expected, actual):
    text = "".join(DURATION.sub("1 ms", line.rstrip()) + "\n" for line in actual)
    return pattern(expected).fullmatch(text) is not None


def updated(expected, actual):
    """The actual output, cut short and with lines left as they are where what is written says so."""
    lone = next((i for i, line in enumerate(expected) if line.strip() == "…"), None)
    head, tail = actual, []
    if lone is not None and len(actual) >= len(expected):
        head, tail = actual[:lone], actual[len(actual) - (len(expected) - lone - 1):]
    kept = [next((old for old in expected if old.strip() != "…" and matches([old], [new])), new) for new in head + tail]
    return kept[:len(head)] + ([expected[lone]] if tail or len(head) < len(actual) else []) + kept[len(head):]


class Shell:
    """One shell for a page, in a folder of its own."""

    def __init__(self, checks, page):
        self.folder = checks.scratch / "pages" / page.relative_to(ROOT).with_suffix("")
        shutil.copytree(checks.samples, self.folder)
        (self.folder / "script").mkdir()
        demo = self.folder / "script" / "demo"
        demo.write_text('#!/bin/sh\nexec graze demo "$@"\n')  # as the real one does, once all is built
        demo.chmod(0o755)
        self.checks = checks

    def run(self, lines):
        """(exit code, output) of each"""
        mark = "@@@@"
        script = "exec 2>&1 </dev/null\n"
        for line in lines:
            if not self.checks.has_pages:
                line = re.sub(r" --html \S+", "", line)
            script += f"{line}\ncode=$?; printf '\\n{mark}%d\\n' $code; (exit $code)\n"
        try:
            text = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.checks.environment, text=True,
                                  stdout=subprocess.PIPE, timeout=120).stdout
        except subprocess.TimeoutExpired as late:
            text = (late.stdout or b"").decode()
        results = re.findall(rf"(.*?)\n{mark}(\d+)\n", text, re.DOTALL)
        results += [("took too long, or ended the shell", "124")] * (len(lines) - len(results))
        return [(int(code), output.removesuffix("\n").split("\n") if output else []) for output, code in results]


def failed(command, code, output):
    """0 is well. So is 1 of graze, an answer, and 2 with a complaint about bad input."""
    complaint = any(line.startswith("graze: ") for line in output)
    return code != 0 and not ("graze " in command and (code == 1 or code == 2 and complaint))


def pipeline_commands(block):
    """The commands of a pipeline's file, as far as they are graze's; checks its shape on the way."""
    found, within = [], None
    for i, line in enumerate(block.text.split("\n")):
        indent = len(line) - len(line.lstrip())
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if within is not None and indent > within:
            found.append((i, line.strip().removeprefix("- ")))
            continue
        within = None
        if not re.match(r"(- )*([\w-]+:( .*)?|[^:]+)$", line.lstrip()) or "\t" in line:
            raise Failure(f"{block.where(i)}: this is no line of YAML that the check knows: {line}")
        if m := re.match(r"(?:- )?(?:run|script):\s*(.*)", line.lstrip()):
            if m[1] in ("", "|"):
                within = indent
            else:
                found.append((i, m[1]))
    if not found:
        raise Failure(f"{block.where()}: a pipeline without commands")
    return [(i, line) for i, line in found if line.startswith("graze ")]


class Checks:
    def __init__(self, options, scratch):
        self.options, self.scratch, self.update = options, scratch, options.update
        self.failures, self.edits, self.counts = [], {}, {}
        build = Path(options.build).resolve()
        self.prefix, binaries, self.samples = scratch / "prefix", scratch / "bin", scratch / "samples"
        binaries.mkdir()
        command = Path(options.command or build / "graze").resolve()
        if not command.exists():
            raise Failure(f"there is no {command}")
        (binaries / "graze").symlink_to(command)
        self.module = build / "python"  # where the Python module is, if the build has one
        self.has_module = any(self.module.glob("graze/_graze.*.so"))
        named = re.search(r"^_?Python_EXECUTABLE:\w+=(.+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
        self.python = named[1] if named else sys.executable
        self.environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                            "CXX": options.compiler, "CMAKE_PREFIX_PATH": str(self.prefix)}
        self.call(["cmake", "--install", build, "--component", "dev", "--prefix", self.prefix], "the installation")
        self.environment["PKG_CONFIG_PATH"] = ":".join(map(str, self.prefix.glob("**/pkgconfig")))
        self.call(["graze", "samples", self.samples], "graze samples")
        probe = ["graze", "collide", "teapot.obj", "teapot.obj", "--html", str(scratch / "probe.html"), "--first", "-q"]
        done = subprocess.run(probe, cwd=self.samples, env=self.environment, stderr=subprocess.DEVNULL)
        self.has_pages = done.returncode != 2

    def call(self, command, what, **more):
        done = subprocess.run(command, env=self.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, **more)
        if done.returncode:
            raise Failure(f"{what}:\n{done.stdout}")
        return done.stdout

    def count(self, what, number=1):
        self.counts[what] = self.counts.get(what, 0) + number

    def fail(self, text):
        self.failures.append(text)

    def check_console(self, page, blocks):
        shell, runs = Shell(self, page), []
        for block in blocks:
            if block.file:
                target = shell.folder / block.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block.text)
            elif block.kind == "console":
                runs += [(block, *command) for command in commands(block)]
            elif block.kind == "yaml":
                runs += [(block, i, line, None) for i, line in pipeline_commands(block)]
        for (block, i, line, expected), (code, output) in zip(runs, shell.run([run[2] for run in runs])):
            self.count("commands")
            if failed(line, code, output) or expected is None and code > 1:
                self.fail(f"{block.where(i)}: `{line}` ended with {code}:\n" + "\n".join(output))
            elif expected is not None and not block.hidden and not matches(expected, output):
                if self.update and sum(line.strip() == "…" for line in expected) < 2:
                    at = block.line + i + line.count("\n")
                    self.edits.setdefault(page, []).append((at, len(expected), updated(expected, output)))
                else:
                    self.fail(f"{block.where(i)}: `{line}` printed\n" + "\n".join(output)
                              + "\nand not, as is written,\n" + "\n".join(expected))

    def check_programs(self, pages):
        """All programs in one project, as a user would write it."""
        folder, programs = self.scratch / "programs", {}
        folder.mkdir()
        for page, blocks in pages.items():
            fragments = []
            for i, block in enumerate(blocks):
                if block.kind == "cpp" and re.search(r"^int main\(", block.text, re.MULTILINE):
                    printed = blocks[i + 1] if i + 1 < len(blocks) and blocks[i + 1].prints else None
                    programs[f"program_{len(programs)}"] = (block, self.located([block]), printed)
                elif block.kind == "cpp":
                    fragments.append(block)
            if fragments:
                programs[f"program_{len(programs)}"] = (fragments[0], self.joined(fragments), None)
        lists = "cmake_minimum_required(VERSION 3.25)\nproject(pages LANGUAGES CXX)\n"
        lists += "find_package(graze REQUIRED COMPONENTS files)\n"
        for name, (_, text, _) in programs.items():
            (folder / f"{name}.cpp").write_text(text)
            library = "files" if "<graze/files/" in text else "graze"
            lists += f"add_executable({name} {name}.cpp)\ntarget_link_libraries({name} PRIVATE graze::{library})\n"
            lists += f"target_compile_options({name} PRIVATE -Wall -Wextra)\n"
        (folder / "CMakeLists.txt").write_text(lists)
        self.configure(folder)
        self.call(["cmake", "--build", folder / "build", "--parallel", "2", "--", "-k0"], "programs of the pages")
        for name, (block, _, printed) in programs.items():
            self.count("programs")
            shutil.copytree(self.samples, folder / f"{name}-samples")
            done = subprocess.run([folder / "build" / name], cwd=folder / f"{name}-samples", stdout=subprocess.PIPE,
                                  text=True)
            if done.returncode:
                self.fail(f"{block.where()}: the program ended with {done.returncode}")
            if printed and not matches(printed.text.split("\n")[:-1], done.stdout.split("\n")[:-1]):
                self.fail(f"{printed.where()}: the program printed\n{done.stdout}")

    def check_python(self, page, blocks):
        own = [block for block in blocks if block.kind in ("python", "pycon") and not block.file]
        if not own:
            return
        if not self.has_module:
            for block in own:
                examples = DocTestParser().get_examples(block.text)
                compile("".join(e.source for e in examples) or block.text, block.where(), "exec")
            return self.count("unrun Python blocks", len(own))
        self.count("Python blocks", len(own))
        folder = self.scratch / "python" / page.relative_to(ROOT).with_suffix("")
        shutil.copytree(self.samples, folder)
        for block in blocks:
            if block.file:
                (folder / block.file).write_text(block.text)
        text = json.dumps([(block.kind, str(page.relative_to(ROOT)), block.line, block.text) for block in own])
        done = subprocess.run([self.python, "-c", PAGE_OF_PYTHON], input=text, cwd=folder, text=True, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**self.environment, "PYTHONPATH": str(self.module)})
        if done.returncode:
            self.fail(f"{page.relative_to(ROOT)}: its Python blocks ended with {done.returncode}:\n{done.stdout}")

    @staticmethod
    def located(blocks):
        return "".join(f'#line {b.line} "{b.page.relative_to(ROOT)}"\n{b.text}' for b in blocks)

    def joined(self, blocks):
        """Fragments as one program; those with includes or definitions at file scope come before its function."""
        outside = [b for b in blocks if re.match(r"#include|struct |template|namespace|// At file scope", b.text)]
        inside = self.located(b for b in blocks if b not in outside)
        return ("#include <graze/graze.hpp>\n#include <cstdio>\n#include <thread>\n#include <vector>\n"
                + self.located(outside) + f"int main() {{\n{inside}return 0;\n}}\n")

    def configure(self, folder):
        command = ["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_CXX_COMPILER={self.options.compiler}",
                   "-DCMAKE_CXX_COMPILER_WORKS=1", "-G", "Ninja"]
        self.call(command, f"cmake in {folder.name}")

    def check_cmake(self, block, number):
        folder = self.scratch / f"cmake-{number}"
        folder.mkdir()
        (folder / "graze").symlink_to(ROOT)
        (folder / "main.cpp").write_text("#include <graze/graze.hpp>\nint main() {}\n")
        head = "cmake_minimum_required(VERSION 3.25)\nproject(block LANGUAGES CXX)\n"
        target = "" if "add_executable" in block.text else "add_executable(your_program main.cpp)\n"
        (folder / "CMakeLists.txt").write_text(("" if "project(" in block.text else head) + target + block.text)
        try:
            self.configure(folder)
        except Failure as failure:
            raise Failure(f"{block.where()}: {failure}") from None

    def check_other(self, block):
        if block.kind == "json":
            try:
                json.loads(block.text)
            except ValueError as wrong:
                raise Failure(f"{block.where()}: {wrong}") from None
        elif block.kind == "sh":
            self.call(["bash", "-n", "-c", block.text], block.where())
            for i, line in enumerate(block.text.split("\n")):
                words = shlex.split(line, comments=True)
                known = not words or (ROOT / words[0]).is_file() or words[0].startswith("build/")
                if not known and not shutil.which(words[0], path=self.environment["PATH"]):
                    raise Failure(f"{block.where(i)}: there is no {words[0]}")
        elif block.kind not in PLAIN | {"cpp", "console", "yaml", "cmake", "python", "pycon"} and not block.file:
            raise Failure(f"{block.where()}: nothing checks blocks of '{block.kind}'")

    def run(self, pages):
        def guarded(function, *arguments):
            try:
                function(*arguments)
            except Exception as failure:  # threads would keep it to themselves
                self.fail(str(failure) if isinstance(failure, Failure) else traceback.format_exc())

        blocks = [block for page in pages.values() for block in page]
        with ThreadPoolExecutor(2) as pool:
            pool.submit(guarded, self.check_programs, pages)
            for page, own in pages.items():
                pool.submit(guarded, self.check_console, page, own)
                pool.submit(guarded, self.check_python, page, own)
            for i, block in enumerate(blocks):
                if block.kind == "cmake":
                    pool.submit(guarded, self.check_cmake, block, i)
                else:
                    guarded(self.check_other, block)
        for page, edits in self.edits.items():
            lines = page.read_text().split("\n")
            for at, length, new in sorted(edits, reverse=True):
                lines[at:at + length] = new
            page.write_text("\n".join(lines))
        print(f"{len(blocks)} blocks of {len(pages)} pages, "
              + ", ".join(f"{n} {what}" for what, n in self.counts.items())
              + (f"; {sum(map(len, self.edits.values()))} outputs rewritten" if self.update else ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--command", help="the graze to run, if not the one in BUILD")
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("pages", nargs="*", type=Path)
    options = parser.parse_args()
    paths = [p.resolve() for p in options.pages] or [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    with tempfile.TemporaryDirectory(prefix="graze-docs-") as scratch:
        try:
            checks = Checks(options, Path(scratch))
            checks.run({path: read_blocks(path) for path in paths})
        except Failure as failure:
            sys.exit(f"check_blocks: {failure}")
    if checks.failures:
        sys.exit("\n\n".join(checks.failures))


if __name__ == "__main__":
    main()
