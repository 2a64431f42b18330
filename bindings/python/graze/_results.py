# SPDX-License-Identifier: Apache-2.0
"""Results as tables: for pandas, and for notebooks."""
from __future__ import annotations

import html
from typing import Any, Sequence

import numpy as np

from ._graze import Clash, Clashes, Fault, RobotAnswers

_ROWS = 20  # of a table in a notebook


def _clashes_to_dataframe(self: Clashes) -> Any:
    """A pandas DataFrame with one row per clash. Needs pandas."""
    import pandas

    columns = [name for name in Clash._fields if name != "bounds"]
    return pandas.DataFrame([[getattr(clash, name) for name in columns] for clash in self], columns=columns)


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]], what: str) -> str:
    """A table in HTML of the first rows, and how many more there are."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(str(value))}</td>" for value in row) + "</tr>" for row in rows[:_ROWS])
    more = f"<p>{len(rows) - _ROWS} more {what} are not shown.</p>" if len(rows) > _ROWS else ""
    return f"<table><tr>{head}</tr>{body}</table>{more}"


def _no_report(self: Clashes) -> str:
    """The report as one page. This build has none."""
    raise Fault("to_html: this build has no report: it was made without node and npm")


def _clashes_to_notebook(self: Clashes) -> str:
    """The report in a frame, or a table in builds without the report."""
    if Clashes.to_html is not _no_report:
        page = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%; height:600px; border:1px solid #ccc"></iframe>'
    columns = ("kind", "a", "b", "contacts", "distance")
    rows = [["" if getattr(clash, name) is None else getattr(clash, name) for name in columns] for clash in self]
    return f"<p>{len(self)} clash{'' if len(self) == 1 else 'es'}</p>" + (_table(columns, rows, "clashes") if rows else "")


def _answers_to_dataframe(self: RobotAnswers) -> Any:
    """A pandas DataFrame with one row per hit. Needs pandas."""
    import pandas

    offsets, names = self.offsets, self.pairs
    return pandas.DataFrame({
        "configuration": np.repeat(np.arange(len(self)), np.diff(offsets)),
        "a": [names[i][0] for i in self.pair],
        "b": [names[i][1] for i in self.pair],
        "kind": self.kind,
        "contacts": self.contacts,
        "distance": self.distance,
    })


def _answers_to_notebook(self: RobotAnswers) -> str:
    """How many configurations are free, and which pairs of bodies collide how often."""
    counts, names = np.bincount(self.pair, minlength=len(self.pairs)), self.pairs
    rows = [(*names[i], counts[i]) for i in np.argsort(-counts, kind="stable") if counts[i]]
    free = int(self.free.sum())
    text = f"<p>{len(self):,} configuration{'' if len(self) == 1 else 's'}: {free:,} free, {len(self) - free:,} not free</p>"
    if self.ask == "free" and rows:
        text += "<p>Only the first pair that was found counts for each configuration.</p>"
    return text + (_table(("a", "b", "configurations"), rows, "pairs") if rows else "")


def add() -> None:
    """Gives the classes of the extension these methods."""
    if not hasattr(Clashes, "to_html"):
        setattr(Clashes, "to_html", _no_report)
    for owner, name, function in ((Clashes, "to_dataframe", _clashes_to_dataframe),
                                  (Clashes, "_repr_html_", _clashes_to_notebook),
                                  (RobotAnswers, "to_dataframe", _answers_to_dataframe),
                                  (RobotAnswers, "_repr_html_", _answers_to_notebook)):
        function.__name__ = name
        setattr(owner, name, function)
