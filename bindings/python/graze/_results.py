# SPDX-License-Identifier: Apache-2.0
"""Results as tables: for pandas, and for notebooks."""
from __future__ import annotations

import html
from typing import Any

import numpy as np

from ._graze import Clash, Clashes, RobotAnswers

_ROWS = 50  # of a table in a notebook


def _clashes_to_dataframe(self: Clashes) -> Any:
    """A pandas DataFrame with one row per clash. Needs pandas."""
    import pandas

    columns = [name for name in Clash._fields if name != "bounds"]
    return pandas.DataFrame([[getattr(clash, name) for name in columns] for clash in self], columns=columns)


def _clashes_to_notebook(self: Clashes) -> str:
    """The report in a frame, or a table in builds without the report."""
    if hasattr(self, "to_html"):
        page = html.escape(self.to_html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%; height:600px; border:1px solid #ccc"></iframe>'
    columns = ("kind", "a", "b", "contacts", "distance")
    head = "".join(f"<th>{name}</th>" for name in columns)
    rows = ""
    for clash in list(self)[:_ROWS]:
        values = ["" if getattr(clash, name) is None else str(getattr(clash, name)) for name in columns]
        rows += "<tr>" + "".join(f"<td>{html.escape(value)}</td>" for value in values) + "</tr>"
    more = f"<p>{len(self) - _ROWS} more clashes are not shown.</p>" if len(self) > _ROWS else ""
    return f"<p>{len(self)} clashes</p><table><tr>{head}</tr>{rows}</table>{more}"


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


def add() -> None:
    """Gives the classes of the extension these methods."""
    for owner, name, function in ((Clashes, "to_dataframe", _clashes_to_dataframe),
                                  (Clashes, "_repr_html_", _clashes_to_notebook),
                                  (RobotAnswers, "to_dataframe", _answers_to_dataframe)):
        function.__name__ = name
        setattr(owner, name, function)
