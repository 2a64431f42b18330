#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the page that bench/page.py makes of a few figures, the tables of bench/figures.py, and the verdicts of
bench/compare.py."""
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent / "bench"
sys.path.insert(0, str(BENCH))
sys.dont_write_bytecode = True

import compare
import figures
import page_html
import page_experiments
from page_data import Cell, Figures, differing_counts, read, shown, write

PAPER = Figures(read([BENCH / "papers.csv"]))


def few_figures(compare_count=15, slope_obb=-1.0):
    cells = [
        Cell("obb-table1", c.row, c.column, c.value, c.unit, "count")
        for c in PAPER.cells("obb-table1")
        if c.row != "at most, in words"
    ]
    cells[0] = Cell(
        *(getattr(cells[0], f) for f in ("experiment", "row", "column")), compare_count, "operations", "count"
    )
    for tree, slope in (("OBB", slope_obb), ("AABB", -2.1)):
        cells.append(Cell("obb-fig5-slopes", tree, "slope", slope, "", "count"))
        cells += [Cell("obb-fig5", row, f"box tests, {tree}", 5, "", "count") for row in ("1e-05", "0.001", "1")]
    for library, time, wrong in (("graze", 1.5, 0), ("FCL", 30, 2)):
        cells.append(Cell("peers-random-first", "torus & teapot", library, time, "µs", "time"))
        cells.append(Cell("peers-random-first-wrong", "torus & teapot", library, wrong, "", "count"))
    cells.append(Cell("something-new", "a", "b", 7.5, "s", "time"))
    # A cell that nothing expects, for every other experiment.
    known = {c.experiment for c in cells}
    cells += [Cell(e.name, "x", "y", 1, "", "count") for e in page_experiments.EXPERIMENTS if e.name not in known]
    return Figures(cells)


def article(page, name):
    return re.search(rf'<article id="{name}">.*?</article>', page, re.S)[0]


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = page_html.page(few_figures(), PAPER, ["A sentence on the run."])

    def test_every_experiment_and_the_papers_marks(self):
        names = [e.name for e in page_experiments.EXPERIMENTS]
        for name in names + ["something-new"]:
            self.assertIn(f'<article id="{name}">', self.page)
        for name in PAPER.by_experiment:
            self.assertIn(name, names)
            # Marks of these are in a chart or in a sentence.
            if name not in ("coherence-fig4", "coherence-fig6", "coherence-fig8"):
                self.assertIn('class="theirs"', article(self.page, name), name)
        self.assertTrue(all(c.source and c.kind == "paper" for cells in PAPER.by_experiment.values() for c in cells))

    def test_a_false_comparison_changes_its_sentence(self):
        self.assertIn("All 12 counts equal the paper", article(self.page, "obb-table1"))
        self.assertEqual(article(self.page, "obb-fig5-slopes").count("this agrees"), 2)
        other = page_html.page(few_figures(compare_count=16, slope_obb=-1.5), PAPER, [])
        self.assertIn("Of 12 counts, 11 equal the paper", article(other, "obb-table1"))
        self.assertIn("16 here, 15 in the paper", article(other, "obb-table1"))
        self.assertIn("does not agree", article(other, "obb-fig5-slopes"))

    def test_other_libraries(self):
        words = article(self.page, "peers-random-first")
        self.assertIn("graze is the quickest in 1 of 1 rows", words)
        self.assertIn("takes 20 times", words)
        self.assertIn("graze gave no wrong answer; of the others: FCL 2.", words)
        self.assertIn("torus &amp; teapot", words)

    def test_nothing_is_fetched_and_nothing_is_unwritten(self):
        self.assertEqual(set(re.findall(r"https?://[^\"' ]*", self.page)), {"http://www.w3.org/2000/svg"})
        for words in ("None", "nan", "inf "):
            self.assertNotIn(f">{words}", self.page)

    def test_no_figures_at_all(self):
        self.assertIn("This run did not measure it.", page_html.page(Figures(), PAPER, []))


class FiguresTest(unittest.TestCase):
    def test_only_counts_must_be_the_same(self):
        a = [Cell("e", "r", "c", 1, "", "count"), Cell("e", "r", "t", 1, "s", "time")]
        self.assertEqual(differing_counts(a, [a[0], Cell("e", "r", "t", 2, "s", "time")]), [])
        self.assertEqual(differing_counts(a, [Cell("e", "r", "c", 2, "", "count")]), ["e, r, c: 1 and 2"])
        self.assertEqual(differing_counts(a, []), ["e, r, c: 1 and absent"])

    def test_faults_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.csv"
            for text, words in (
                ("a,b\n", "first line"),
                ("experiment,row,column,value,unit,kind\ne,r,c,many,,count\n", ":2: 'many'"),
            ):
                path.write_text(text)
                with self.assertRaisesRegex(ValueError, words):
                    read([path])

    def test_written_and_read(self):
        cells = [Cell("e", 'a "b", c', "ε", 0.1, "µs", "time"), Cell("e", "1e-05", "d", 12345678, "", "count")]
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder) / "x.csv", cells)
            self.assertEqual(read([Path(folder) / "x.csv"]), cells)

    def test_numbers_for_people(self):
        for value, words in (
            (1704187, "1,704,187"),
            (0.14, "0.14"),
            (0.018, "0.018"),
            (27.96, "28.0"),
            (-2, "−2"),
            (1e-5, "1e-05"),
            (123.456, "123.5"),
        ):
            self.assertEqual(shown(value), words)


class TablesTest(unittest.TestCase):
    """The tables that a run's JSON becomes on the pages."""

    def setUp(self):
        self.results, self.folder = figures.RESULTS, tempfile.TemporaryDirectory()
        figures.RESULTS = Path(self.folder.name)

    def tearDown(self):
        figures.RESULTS = self.results
        self.folder.cleanup()

    def take(self, *ratios):
        common = {"peer": "FCL-OBB", "ours_us": 0.864, "aim": 48, "box_tests": 88, "triangle_tests": 12, "wrong": 0,
                  "peer_wrong": 0, "checked": 5}
        rows = [{"scenario": f"case-{k}", "ratio": r, "floor": 20, "peer_us": 0.864 * r} | common
                for k, r in enumerate(ratios)]
        rows.append({"scenario": "bytes-per-triangle", "peer": "FCL-OBB", "value": 82.46, "floor": 65, "aim": 55})
        path = figures.RESULTS / "run.json"
        path.write_text(json.dumps(rows))
        figures.take("core", path)

    def test_a_missed_floor_is_shown_as_missed(self):
        self.take(19.94, 20.06)
        lines = figures.markdown("core").split("\n")
        self.assertIn("| `case-0` | 864 ns | 17.2 µs | 19.9× | 20×, ✗ missed | 48× |", lines[2])
        self.assertIn("| `case-1` | 864 ns | 17.3 µs | 20.1× | 20× | 48× |", lines[3])
        self.assertIn("| bytes-per-triangle | 82.5 | 65, ✗ missed | 55 |", figures.markdown("core-limits"))
        self.assertEqual((figures.missed("core"), figures.floors("core")), (1, 2))

    def test_sentences_and_tables_are_filled_in(self):
        self.take(12.34, 34.7)
        page = "At <!--=core.least-->1<!--/--> to <!--=core.most-->2<!--/-->.\n<!-- table: core -->\nold\n<!-- end of table -->"
        once = figures.filled(page)
        self.assertTrue(once.startswith("At <!--=core.least-->12.3<!--/--> to <!--=core.most-->34.7<!--/-->.\n"))
        self.assertIn("12.3×", once)
        self.assertNotIn("old", once)
        self.assertEqual(figures.filled(once), once)
        with self.assertRaisesRegex(ValueError, "no figure core.nothing"):
            figures.filled("<!--=core.nothing-->1<!--/-->")

    def test_floors_of_fronts(self):
        for query, motion, floor in (
            ("`wide-obb` first, pipes", "0.007", 4),
            ("`wide-obb` first, pipes", "0.02", 2),
            ("`wide-aabb` all, hand", "0.001", 1.3),
            ("`binary-obb` all, torus", "0.03", 1.3),
            ("`binary-aabb` all, torus", "0.03", 1.05),
            ("`binary-obb` all, torus", "original", 0.97),
        ):
            self.assertEqual(figures.front_floor(query, motion), floor)


class CompareTest(unittest.TestCase):
    COUNTS = {"box_tests": 100, "triangle_tests": 10, "instructions": 10000, "answer": "x"}

    def worse(self, times=((1, 1.01), (1.01, 1), (1, 1), (1, 1.01)), **changed):
        return compare.compared(self.COUNTS, self.COUNTS | changed, times)[1]

    def test_noise_is_not_slower(self):
        self.assertEqual(self.worse(), [])
        self.assertEqual(self.worse(instructions=10040), [])
        self.assertEqual(self.worse(box_tests=99), [])
        self.assertEqual(self.worse(times=((1, 1.2), (1.3, 1), (0.8, 1.1), (1.2, 0.9))), [])

    def test_slower(self):
        self.assertIn("box tests rose", self.worse(box_tests=101)[0])
        self.assertIn("instructions rose", self.worse(instructions=10100)[0])
        self.assertIn("time rose by 10.0%", self.worse(times=((1, 1.1), (1, 1.1), (1, 1.1), (1, 1.1)))[0])
        self.assertIn("answers", self.worse(answer="y")[0])


if __name__ == "__main__":
    unittest.main()
