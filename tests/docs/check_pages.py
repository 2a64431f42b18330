#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares README.md and docs/ with the result files and with the code.

The exit status is 1 if a page is wrong. A page is wrong where

    a figure is not the one of bench/results/pages or of the code (bench/figures.py --write puts it right);
    a page of measurements has a figure in a sentence that is not marked, so that nothing would notice when it gets old;
    it names a file, header, option, function or type that does not exist, or a name with a file that lacks it;
    it contradicts one of the facts below, which are read from the code.

Then statements that once were false are made false again, one after the other: each must be noticed. All of that needs no
build and takes some seconds.
"""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import figures

MEASURED = ["README.md", "docs/index.md", "docs/benchmarks.md", "docs/fronts.md", "docs/scenes.md", "docs/gpu.md"]
FOLDERS = "apps bench bindings checks cmake docs examples files gpu include report scenes script src tests".split()
SOURCES = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".py", ".pyi", ".mjs", ".js", ".txt", ".in", ".cmake", ".json", ".sh", ".html", ".css",
           ".toml", ""}

# Options of programs that are not ours.
OTHERS_OPTIONS = {
    "--allow-folder", "--build", "--build-arg", "--cflags", "--config-settings", "--csv", "--fail-on", "--install", "--libs", "--no-build-isolation", "--no-isolation",
    "--preset", "--system-site-packages", "--target", "--user", "--version", "--wheel", "--prefix", "--find-links",
}
# Names of formats and of other programs, and the start of a name to complete.
OTHERS_NAMES = {"IfcMapConversion", "SBATCH_PARTITION", "SBATCH_ACCOUNT", "SBATCH_TIMELIMIT", "parse_"}


class Tree:
    """The files, words and options that exist."""

    def __init__(self):
        files = [p for folder in FOLDERS for p in (ROOT / folder).rglob("*")
                 if p.is_file() and p.suffix in SOURCES and "__pycache__" not in p.parts and "results" not in p.parts
                 and "node_modules" not in p.parts]
        files += [ROOT / "CMakeLists.txt", ROOT / "CMakePresets.json"]
        # A page does not make a thing exist by naming it, and neither does a list of names to look for.
        texts = {p: p.read_text(errors="ignore") for p in files if p.suffix != ".md" and p != Path(__file__).resolve()}
        self.words = set(re.findall(r"[A-Za-z_]\w*", "\n".join(texts.values()))) | {p.stem for p in files}
        self.options = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", "\n".join(texts.values())))
        # CLI11 and argparse: "-q,--quiet"
        self.options |= {f"--{o}" for o in re.findall(r'-\w,--([a-z][a-z0-9-]*)', "\n".join(texts.values()))}

        # Options that each of our commands declares. The commands for two meshes share files.
        declared = {p.name: set(re.findall(r'"(?:-\w,)?(--[a-z][a-z-]*)[",]', t)) for p, t in texts.items()
                    if p.parent == ROOT / "apps"}
        shared = {"collide": ("pair", "pose", "device"), "distance": ("pair", "pose"), "path": ("pair", "pose"), "robot": ("device",)}
        self.of_command = {
            name: {"--help", "--version"}.union(*(options for file, options in declared.items()
                                                  if file.startswith((name, "options", *shared.get(name, ())))))
            for name in re.findall(r'\bapp\.add_subcommand\(\s*"(\w+)"', "\n".join(texts.values()))}

    def has_path(self, name):
        if "*" in name:
            return any(True for _ in ROOT.glob(name))
        return (ROOT / name).exists() or (ROOT / "report" / name).exists()


def code_and_prose(text):
    """The lines of fenced blocks with their languages, and the rest, both with their line numbers."""
    code, prose, language = [], [], None
    for n, line in enumerate(text.split("\n"), 1):
        if fence := re.match(r"\s*```(\w*)", line):
            language = None if language is not None else fence[1]
        elif language is not None:
            code.append((n, language, line))
        else:
            prose.append((n, line))
    return code, prose


def wrong_figures(pages):
    out = []
    for page, text in pages.items():
        if figures.filled(text) != text:
            for old, new in zip(text.split("\n"), figures.filled(text).split("\n")):
                if old != new:
                    out.append(f"{page}: {old.strip()[:100]!r} should be {new.strip()[:100]!r}")
                    break
    return out


FIGURE = re.compile(r"(?<![\w.-])\d[\d.,]*\s?(×|ns\b|µs\b|ms\b|(million|billion|thousand)\b|times (as|faster))")


def unmarked_figures(pages):
    out = [f"{page}:{n}: a mark begins a line, which GitHub takes for a block of HTML" for page, text in pages.items()
           for n, line in enumerate(text.split("\n"), 1) if re.match(r"\s*<!--=", line)]
    for page in (p for p in MEASURED if p in pages):
        text = figures.BLOCK.sub(lambda m: "\n" * m[0].count("\n"), pages[page])
        text = figures.SPOT.sub(lambda m: "\n" * m[0].count("\n"), text)
        for n, line in code_and_prose(text)[1]:
            if found := FIGURE.search(line):
                out.append(f"{page}:{n}: {found[0]!r} is not marked; write <!--=NAME-->…<!--/--> with a name of bench/figures.py")
    return out


PATH = re.compile(r"(?<![\w/.~$-])(?:%s)/[\w./*{},-]*[\w*/]" % "|".join(FOLDERS))


def unknown_paths(tree, pages):
    out = []
    for page, text in pages.items():
        place = (ROOT / page).parent
        for n, line in enumerate(text.split("\n"), 1):
            for quoted in re.findall(r"`([^`]*)`", line) + re.findall(r"\(([^()`]*)\)", line):
                for path in PATH.findall(quoted):
                    path = path.rstrip(".,")
                    if not tree.has_path(path) and not (place / path).exists():
                        out.append(f"{page}:{n}: there is no {path}")
            for header in re.findall(r"graze/(?:[a-z_]+/)?[a-z_]+\.hpp", line):
                if not (ROOT / "include" / header).exists() and not (ROOT / header.removeprefix("graze/")).exists():
                    out.append(f"{page}:{n}: there is no header {header}")
    return out


def unknown_options(tree, pages):
    out = []
    for page, text in pages.items():
        code, prose = code_and_prose(text)
        lines = [(n, line) for n, language, line in code if language in ("sh", "console", "yaml")]
        lines += [(n, quoted) for n, line in prose for quoted in re.findall(r"`([^`]*)`", line)]
        for n, line in lines:
            for command, words in re.findall(r"(?<![\w/-])graze ([a-z]+)\b([^|;&`]*)", line):
                for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", words):
                    if command in tree.of_command and option not in tree.of_command[command]:
                        out.append(f"{page}:{n}: graze {command} has no option {option}")
            for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", line):
                if option not in tree.options and option not in OTHERS_OPTIONS:
                    out.append(f"{page}:{n}: there is no option {option}")
    return out


def unknown_names(tree, pages):
    """Names in backticks that look like ours: a::b, a.b of the module, snake_case and CamelCase."""
    out = []
    for page, text in pages.items():
        for n, line in code_and_prose(text)[1]:
            for quoted in re.findall(r"`([^`]*)`", line):
                for name in re.findall(r"[A-Za-z_][\w:.]*\w", re.sub(r"[\w./*-]*/[\w./*-]*|--?[\w-]+|<[^>]*>|\w+\.(?:\w+)\b(?=$)", " ", quoted)):
                    parts = re.split(r"::|\.", name)
                    looks = "::" in name or "_" in name or re.search(r"[a-z][A-Z]", name)
                    if not looks or parts[0] in ("std", "fcl", "Eigen"):
                        continue
                    for part in parts:
                        if part and part not in tree.words and part not in OTHERS_NAMES:
                            out.append(f"{page}:{n}: the tree has no {part} (`{quoted}`)")
    return out


PLACES = re.compile(r"((?:`[\w:]+`,? (?:and |or )?)*`[\w:]+`)\s"
                    r"(?:\((?:in )?|in )([\w/.*-]+\.(?:cpp|hpp|cu|py|js|h)(?:, [\w/.*-]+\.(?:cpp|hpp|cu|py|js|h))*)\)")


def misplaced_names(pages):
    """A name with a file in parentheses, `name` (path) or (`name` in path), is in that file, or in one of several."""
    out = []
    for page, text in pages.items():
        for found in PLACES.finditer(text):
            files, folder = [], "."
            for path in found[2].split(", "):  # one without a folder is in that of the file before it, or in any
                folder = Path(path).parent.as_posix() if "/" in path else folder
                files += [*ROOT.glob(path), *ROOT.glob(f"{folder}/{Path(path).name}")]
                files += [] if files else [*ROOT.glob(f"*/{path}"), *ROOT.glob(f"src/*/{path}")]
            words = set(re.findall(r"\w+", "\n".join(p.read_text() for p in files)))
            for name in re.findall(r"`([\w:]+)`", found[1]):
                if (last := name.split("::")[-1]) not in words:
                    n = text.count("\n", 0, found.start()) + 1
                    out.append(f"{page}:{n}: {last} is not in {found[2]}")
    return out


# Facts.


CHANGED = {}  # files that are looked at as if they had this text


def read(path):
    return CHANGED[path] if path in CHANGED else (ROOT / path).read_text()


def sentences(text):
    """Prose, a sentence a string."""
    prose = " ".join(re.sub(r"^#+ .*", ".", line) for _, line in code_and_prose(text)[1])
    return re.split(r"(?<=[.!?:])\s+", re.sub(r"<!--.*?-->", "", prose))


# Things that a page may not deny: words of a page, and the file that shows that the thing exists.
EXISTS = {
    r"self-contacts?|with itself|of its own triangles|self-collision": "include/graze/self.hpp",
    r"distances?\b": "include/graze/distance.hpp",
    r"\brays?\b": "include/graze/ray.hpp",
    r"\bhulls?\b": "include/graze/hull.hpp",
    r"\bsolids?\b": "include/graze/solid.hpp",
    r"\bscenes?\b": "include/graze/scene.hpp",
    r"\bfronts?\b": "include/graze/front.hpp",
    r"\bbatch(es)?\b": "include/graze/batch.hpp",
    r"\bGPU\b": "include/graze/gpu.hpp",
    r"\bPython\b": "bindings/python/setup.py",
}


def denied(pages):
    out = []
    for page, text in pages.items():
        for sentence in sentences(text):
            if re.search(r"\b(do(es)? not exist|are not there|is not there)\b|\bgraze does not (find|have|support)\b|\bnot yet\b|\byet\.", sentence):
                subject = re.split(r":", sentence)[-1]
                for words, path in EXISTS.items():
                    if (ROOT / path).exists() and re.search(words, subject) and "between" not in subject and "if " not in subject.lower():
                        out.append(f"{page}: {sentence.strip()!r}, but there is {path}")
    return out


def readers_are_installed(pages):
    if not re.search(r"install\(TARGETS graze_files\b", read("cmake/package.cmake")):
        return []
    return [f"{page}: {s!r}, but cmake/package.cmake installs graze::files" for page, text in pages.items() for s in sentences(text)
            if re.search(r"\breaders?\b", s) and re.search(r"\bnot installed\b|\bnot part of the (library|package)\b|belong to the command", s)]


def shares_have_one_place(pages):
    """The shares of a query's time and instructions are on one page, marked."""
    out = []
    for page, text in pages.items():
        for s in sentences(figures.SPOT.sub("", text)):
            if re.search(r"\d[\d,]* instructions of a query|\b(third|quarter|fifth|sixth|seventh|fifths) (are|is)? ?in (the |these |later |steps |pairs )", s):
                out.append(f"{page}: {s[:90]!r}: these shares have one place, docs/benchmarks.md, where they are marked")
    return out


def dependencies(pages):
    """README names all that CMakeLists.txt requires."""
    words = {"Eigen3": "Eigen", "hwy": "Highway", "Qhull": "Qhull", "Boost": "Boost", "TBB": "oneTBB"}
    needed = set(re.findall(r"find_package\((\w+)[^)]*REQUIRED", read("CMakeLists.txt"))) - {"Threads", "Python3", "CUDAToolkit"}
    line = " ".join(s for s in sentences(pages.get("README.md", "")) if re.search(r"\bneeds? CMake\b", s))
    return [f"README.md: the library needs {name}, says CMakeLists.txt" for name in sorted(needed)
            if "README.md" in pages and words.get(name, name) not in line]


def formats(pages):
    """Every list of the built-in readers has all of them, and so has the message for builds without assimp."""
    built_in = re.findall(r'\{Format::\w+, "(\w+)"', read("files/mesh_file.cpp"))
    if (ROOT / "files/gltf.cpp").exists():
        built_in.append("glTF")
    texts = {"files/CMakeLists.txt": [m for m in re.findall(r'message\(STATUS "([^"]*)"', read("files/CMakeLists.txt")) if "assimp" in m]}
    for page, text in pages.items():
        texts[page] = [s for s in sentences(text) if re.search(r"[Bb]uilt-in readers|readers? (for|of) STL|reads? STL", s)]
    return [f"{page}: {s.strip()!r} does not name {f}" for page, all in texts.items() for s in all for f in built_in if f not in s]


def pages_of_commands(pages):
    """Where a page lists the commands that write a report, it has all of them."""
    with_page = set()
    for path in (ROOT / "apps").glob("*.cpp"):
        text = path.read_text()
        names = re.findall(r'add_subcommand\(\s*"(\w+)"', text)
        if path.name == "pair.cpp":
            names = ["collide", "distance", "path"]
        if re.search(r"\.html = true", text):
            with_page.update(names)
    out = []
    for page, text in pages.items():
        for s in re.split(r"(?<=[.!?])\s+", " ".join(sentences(text))):
            if "`--html`" not in s and "`--html FILE`" not in s:
                continue
            listed = set(re.findall(r"`(collide|distance|path|clash|robot|self|info)`", s))
            if len(listed) > 2 and listed != with_page:
                out.append(f"{page}: {s.strip()[:90]!r} lists {sorted(listed)}; {sorted(with_page)} write a page")
            number = re.search(r"\bAll (\w+) commands\b", s)
            if number and number[1] in figures.WORDS and figures.WORDS.index(number[1]) != len(with_page):
                out.append(f"{page}: {s.strip()[:90]!r}, but {len(with_page)} commands write a page")
    return out


def angles(pages):
    """The number of angles that boxes are turned by is marked wherever it is said."""
    return [f"{page}:{n}: the number of angles is not marked: <!--=turns-->…<!--/-->" for page, text in pages.items()
            for n, line in enumerate(figures.SPOT.sub("", text).split("\n"), 1)
            if re.search(r"\b(%s) angles\b" % "|".join(figures.WORDS[1:]), line)]


def navigation(pages):
    """Every public header has its page of the reference in mkdocs.yml, and every such page has a header."""
    listed = re.findall(r"graze/(\w+)\.hpp: api/(\w+)\.md", read("mkdocs.yml"))
    headers = {p.stem for p in (ROOT / "include/graze").glob("*.hpp")} - {"graze"}
    return ([f"mkdocs.yml has no page of graze/{h}.hpp" for h in sorted(headers - {a for a, _ in listed})]
            + [f"mkdocs.yml: there is no graze/{a}.hpp, or its page is not api/{a}.md" for a, b in listed if a not in headers or a != b])


CHECKS = [misplaced_names, navigation, denied, readers_are_installed, shares_have_one_place, dependencies, formats, pages_of_commands, angles]


def all_pages():
    return {page: read(page) for page in figures.PAGES}


def problems(tree, pages, charts=True):
    out = wrong_figures(pages) + unmarked_figures(pages)
    for check in (unknown_paths, unknown_options, unknown_names):
        out += check(tree, pages)
    for check in CHECKS:
        out += check(pages)
    if charts:
        out += [f"{path}: not drawn from bench/results/pages; bench/figures.py --write draws it"
                for path, draw in figures.CHARTS.items() if draw() != read(path)]
    return out


def spot(name, new):
    """Puts another figure into the marked places of that name."""
    return lambda text: re.sub(rf"(<!--={re.escape(name)}-->).*?(<!--/-->)", rf"\g<1>{new}\g<2>", text)


def without(old, new=""):
    return lambda text: text.replace(old, new)


def also(words):
    return lambda text: f"{text}\n{words}\n"


MISTAKES = [  # a file, and what becomes of its text
    ("docs/index.md", also("Contacts of a model with itself do not exist yet.")),
    ("docs/index.md", also("Queries are 16 to 34 times as fast.")),
    ("docs/index.md", spot("core.least", "16")),
    ("docs/library.md", also("The readers for STL, OBJ, PLY, glTF and other formats belong to the command and are not installed.")),
    ("docs/design.md", also("Of the 5,700 instructions of a query between tori, two fifths are in these first steps.")),
    ("docs/papers.md", spot("turns", "sixteen")),
    ("docs/papers.md", also("Boxes are turned (sixteen angles, about each axis).")),
    ("docs/design.md", spot("turns", "sixteen")),
    ("README.md", without("Boost")),
    ("files/CMakeLists.txt", without("STL, OBJ, PLY and glTF", "STL, OBJ and PLY")),
    ("docs/report.md", without(", `robot` and `self` write", " and `robot` write")),
    ("docs/start.md", also("All five commands write a report with `--html`.")),
    ("docs/benchmarks.md", without(f", {figures.MISSED} missed")),
    ("docs/gpu.md", spot("gpu.cpu", "4.3 million")),
    ("docs/gpu.md", spot("gpu.ratio", "248")),
    ("docs/gpu.md", without("| 13 million | 82× |", "| 4.3 million | 248× |")),
    ("mkdocs.yml", without("          - graze/ray.hpp: api/ray.md\n")),
    ("docs/papers.md", without("`special` (src/exact/triangle_meeting.hpp)", "`special` (src/exact/predicate.cpp)")),
    ("README.md", also("See `docs/nowhere.md`.")),
    ("README.md", also("See `graze/nowhere.hpp`.")),
    ("README.md", also("See `--nowhere`.")),
    ("README.md", also("See `graze collide --bcf`.")),
    ("README.md", also("See `graze::no_where`.")),
]


def unnoticed(tree, pages):
    out = []
    for k, (path, change) in enumerate(MISTAKES):
        CHANGED.clear()
        text = read(path)
        if change(text) == text:
            out.append(f"mistake {k} cannot be made: {path} has another text now, and so needs another mistake here")
            continue
        CHANGED[path] = change(text)
        if not problems(tree, {p: t for p, t in CHANGED.items() if p in pages}, charts=False):
            out.append(f"mistake {k}, in {path}, is not noticed")
    CHANGED.clear()
    return out


def main():
    tree, pages = Tree(), all_pages()
    if found := problems(tree, pages) or unnoticed(tree, pages):
        print("\n".join(found))
        return 1
    print(f"{len(pages)} pages say what the result files and the code say; {len(MISTAKES)} mistakes were noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
