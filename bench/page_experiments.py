# SPDX-License-Identifier: Apache-2.0
"""The experiments of bench/page.py: the list of all, and the parts that show one."""

from dataclasses import dataclass, field

PAPERS = (
    (
        "obb",
        "OBBTree",
        "S. Gottschalk, M. C. Lin and D. Manocha, OBBTree: a hierarchical structure for rapid interference "
        "detection, 1996; and the slides on it by J. Wang",
    ),
    (
        "aabb",
        "AABB trees",
        "G. van den Bergen, Efficient collision detection of complex deformable models using AABB trees, 1998",
    ),
    (
        "coherence",
        "Temporal coherence",
        "O. Tropp, A. Tal, I. Shimshoni and D. P. Dobkin, Temporal coherence in bounding volume hierarchies "
        "for collision detection",
    ),
    (
        "objects",
        "Many moving objects",
        "M. C. Lin, D. Manocha, J. Cohen and S. Gottschalk, Collision detection: algorithms and applications",
    ),
    (
        "peers",
        "Other libraries",
        "As Debian ships them, on one thread, in turns of one process. bench/README.md says how each is asked. "
        "Embree has no "
        "triangle test: our predicate decides its pairs, so that its answers are ours. Bullet and ODE refer to "
        "the caller's "
        "points, and CGAL to its triangles; their memory leaves these out.",
    ),
)

# Further tables of an experiment, by what follows its name: peers-real-wrong.
MORE = {
    "wrong": "Wrong answers",
    "missed": "Contacts missed",
    "invented": "Contacts invented",
    "failed": "Calls that failed",
    "checked": "Answers checked",
    "asked": "Questions",
    "tests": "Tests per query",
    "work": "The work behind these times",
}


@dataclass
class Table:
    experiment: str
    title: str = ""
    unit: str | None = None  # only cells of this unit
    columns: tuple = ()  # their order
    folded: bool = False


@dataclass
class View:
    charts: list = field(default_factory=list)
    tables: list = field(default_factory=list)
    findings: list = field(default_factory=list)


@dataclass(frozen=True)
class Experiment:
    name: str
    place: str  # in its paper
    title: str
    caption: str
    make: object


@dataclass(frozen=True)
class Data:
    ours: object
    paper: object


EXPERIMENTS = []


def experiment(name, place, title, caption):
    def add(make):
        EXPERIMENTS.append(Experiment(name, place, title, caption, make))
        return make

    return add


def ratio(a, b):
    return a / b if a is not None and b else None


def further_tables(name, ours):
    """The tables whose names begin with that of an experiment, other experiments left out."""
    names = {e.name for e in EXPERIMENTS}
    out = []
    for other in ours.by_experiment:
        parent = max((n for n in names if other.startswith(n + "-")), key=len, default="")
        if parent == name and other not in names:
            end = other.removeprefix(name + "-")
            out.append(Table(other, MORE.get(end, end), folded=True))
    return out
