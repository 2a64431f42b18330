#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site's pages before mkdocs, and a look at them after it.

docs/site.py pages FOLDER   copies docs/ there, with links that leave docs/ turned to the pages that stand for them
docs/site.py check SITE     finds links and anchors that lead nowhere, pages that none leads to, pictures without a
                            description, and what would be fetched from another server
"""
import os
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent


def target_in_site(path, anchor):
    """A file of the tree as a page: (page, anchor); nothing where there is none."""
    if path == "CHANGELOG.md":
        return "changelog.md", anchor
    if path == "README.md":
        return ("command.md", "") if anchor == "the-command" else ("index.md", "")
    if re.fullmatch(r"include/graze/\w+\.hpp", path):
        return f"api/{Path(path).stem}.md", anchor
    if path.startswith("docs/"):
        return path.removeprefix("docs/"), anchor
    return None


def rewritten(text, source):
    """The page's text with its links as they are in the site."""
    place = source.parent.relative_to(ROOT)

    def link(match):
        shown, url, anchor = match[1], match[2], match[3] or ""
        if re.match(r"[a-z]+:", url) or not url:
            return match[0]
        path = os.path.normpath(place / url)
        if not (ROOT / path).exists():
            sys.exit(f"{source.relative_to(ROOT)}: there is no {url}")
        found = target_in_site(path, anchor.removeprefix("#"))
        if not found:
            return f"`{path}`" if shown in (path, url) else f"{shown} (`{path}`)"
        here = "." if source.parent == ROOT else place.relative_to("docs")
        return f"[{shown}]({os.path.relpath(found[0], here)}{'#' + found[1] if found[1] else ''})"

    def results(match):
        """A page that bench/page.py makes has no place in the tree: sources name it, and the site leads to it."""
        here = "." if source.parent == ROOT else place.relative_to("docs")
        return f"[one page of results]({os.path.relpath(f'results/{match[1]}.html', here)})"

    text = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)", link, text)
    return re.sub(r"`build/results/([\w-]+)/index\.html`", results, text)


def make_pages(folder):
    skip = shutil.ignore_patterns("*.py", "Doxyfile", "__pycache__")
    shutil.copytree(DOCS, folder, ignore=skip, dirs_exist_ok=True)
    sources = {path: folder / path.relative_to(DOCS) for path in DOCS.glob("**/*.md")}
    sources[ROOT / "CHANGELOG.md"] = folder / "changelog.md"
    for source, target in sources.items():
        target.write_text(rewritten(source.read_text(), source))
    (folder / "results").mkdir(exist_ok=True)
    for page in ROOT.glob("build/results/*/index.html"):
        if not page.parent.name.endswith("-quick"):  # git does not keep these
            shutil.copy(page, folder / "results" / f"{page.parent.name}.html")


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads, self.nameless = set(), [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(values[key] for key in ("id", "name") if values.get(key))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in ("img", "script", "iframe", "source") and values.get("src"):
            self.loads.append(values["src"])
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(values["href"])
        if tag == "img" and not values.get("alt") and values.get("src", "").endswith((".png", ".jpg", ".svg")):
            self.nameless.append(values["src"])


def check(site):
    pages = {path: Page(path.read_text()) for path in site.glob("**/*.html")}
    wrong = []
    for path, page in pages.items():
        for url in page.links + page.loads:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                if url in page.loads and parts.scheme != "data":
                    wrong.append(f"{path}: loads {url}")
                continue
            if path.name == "404.html":  # its links are absolute
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                wrong.append(f"{path}: there is no {url}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                wrong.append(f"{path}: no such place: {url}")
        wrong += [f"{path}: {image} has no description" for image in page.nameless if "logo" not in image]
        if path.name != "404.html" and os.path.relpath(path, site) not in pages[site / "index.html"].links:
            wrong.append(f"{path}: is not in the navigation of mkdocs.yml")
    for path in site.glob("**/*.css"):
        for url in re.findall(r"url\(([^)]*)\)|@import", path.read_text()):
            if re.match(r"['\"]?(https?:)?//", url):
                wrong.append(f"{path}: loads {url}")
    return wrong


if __name__ == "__main__":
    command, place = sys.argv[1], Path(sys.argv[2]).resolve()
    if command == "pages":
        make_pages(place)
    elif problems := check(place):
        sys.exit("\n".join(problems))
