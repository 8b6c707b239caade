#!/usr/bin/env python3
"""Checks the page of --format html: check_page.py --itrace ITRACE --program PROGRAM [--chromium CHROMIUM] CASE

Cases: whole (the page is self-contained, and its sums are those of --format json), small (it has only what it shows),
hostile (names that would end the script), drawn (rendering in a browser), used (by keyboard), phone (400 pixels wide).
The last three are skipped without a browser.
"""
import argparse
import collections
import html.parser
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import environment, run_well

SKIPPED = 77
HOSTILE = ["</script><script>alert(1)</script>", "<!--<script>", "]]>&lt;\"'\u2028\x1b[31m"]
MODELS = "skylake,zen4,vax8800"
# Disables most connections and files of the browser itself. Containers lack the features that its sandbox needs.
BROWSER = ["--headless", "--no-sandbox", "--allow-file-access-from-files",
           "--disable-gpu", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--virtual-time-budget=20000"]


class Page(html.parser.HTMLParser):
    """Collects the elements of a page and the content of its scripts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.scripts, self.texts, self.within = [], [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.within.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        while self.within and self.within.pop() != tag:
            pass

    def handle_data(self, data):
        if "script" in self.within:
            self.scripts[-1] += data
        elif self.within:
            self.texts[self.within[-1]] = self.texts.get(self.within[-1], "") + data

    def count(self, tag):
        return sum(name == tag for name, _ in self.elements)


def expect(condition, text):
    if not condition:
        sys.exit(f"failed: {text}")


def report(options, folder, form, command, *subcommand):
    path = os.path.join(folder, "report." + form)
    run_well([options.itrace, *subcommand, "--format", form, "--model", MODELS, "-o", path, *command])
    with open(path, encoding="utf-8") as file:
        return path, file.read()


def repeated(pairs):
    return [value for value, n in zip(pairs[::2], pairs[1::2]) for _ in range(n)]


def unpack(insns):
    """As the page does; tracer/report/html/page_tables.h describes the columns."""
    for key in "function", "file", "line", "executions", "runs":
        insns[key] = repeated(insns[key])
    for m, others in enumerate(insns["cycles"]):
        insns["cycles"][m] = [insns["each"][m][form] * n for form, n in zip(insns["form"], insns["executions"])]
        for i, cycles in zip(others[::2], others[1::2]):
            insns["cycles"][m][i] = cycles
    insns["match"] = ["".join(letters[form] for form in insns["form"]) for letters in insns["match"]]
    insns.pop("each")


def read_page(text):
    page = Page(text)
    expect(len(page.scripts) == 2, f"{len(page.scripts)} scripts in the page")
    data = json.loads(page.scripts[0])
    for region in data["regions"]:
        unpack(region["insns"])
    return page, data


def case_whole(options, folder):
    """The page is self-contained and adds up to the JSON report."""
    run = os.path.join(folder, "run.itrace")
    # One run, because addresses determine some executions in the C library.
    run_well([options.itrace, "record", "--calls", "-o", run, "--function", "main", options.program, "2", "1"])
    _, text = report(options, folder, "html", [run], "report")
    page, data = read_page(text)
    expect(not re.search(r"https?:|@import|url\(", text.replace(page.scripts[0], "")), "the page refers to the network")
    expect(not any({"src", "href"} & attributes.keys() for _, attributes in page.elements),
           "the page loads another file")
    expected = json.loads(report(options, folder, "json", [run], "report")[1])
    expect([model["name"] for model in data["models"]] == MODELS.split(","), data["models"])
    expect(len(data["regions"]) == len(expected["regions"]) == 1, "not one region")
    mine, its = data["regions"][0], expected["regions"][0]
    expect(sum(mine["insns"]["executions"]) == its["instructions"] > 500,
           f"{sum(mine['insns']['executions'])} executions, not {its['instructions']}")
    for i, estimate in enumerate(its["estimates"]):
        cycles = sum(mine["insns"]["cycles"][i])
        expect(abs(cycles - estimate["cycles"]) < 0.01,
               f"{estimate['model']}: {cycles} cycles, not {estimate['cycles']}")
        in_tree = sum(mine["calls"]["cycles"][i])
        expect(abs(in_tree - cycles) < 0.01, f"{estimate['model']}: {in_tree} cycles in the call tree, not {cycles}")
        for letter, match in ("?", "unknown"), ("~", "fallback"), ("=", "exact"):
            lacking = sum(n for n, each in zip(mine["insns"]["executions"], mine["insns"]["match"][i])
                          if each == letter)
            wanted = estimate["coverage"][match]
            expect(lacking == wanted, f"{estimate['model']}: {lacking} executions {match}, not {wanted}")
            if match != "exact":
                in_tree = sum(mine["calls"][match][i])
                expect(in_tree == wanted, f"{estimate['model']}: {in_tree} executions {match} in the call tree, "
                                          f"not {wanted}")
    columns = {len(column) for key, column in mine["insns"].items() if key not in ("cycles", "match")}
    expect(len(columns) == 1, f"columns of {columns} instructions")
    lines = {(data["files"][file]["path"], line) for file, line in zip(mine["insns"]["file"], mine["insns"]["line"])
             if file >= 0}
    expect(any(path.endswith("/patest.c") for path, _ in lines), f"no line of the program in {lines}")
    source = next(file for file in data["files"] if file and file["path"].endswith("/patest.c"))
    shown = {first + i: text for first, *excerpt in source["lines"] for i, text in enumerate(excerpt)}
    texts = {shown[line].strip() for path, line in lines if path == source["path"]}
    expect("sum += delay_one(delays[0]);" in texts, f"the source has not its line in {texts}")
    # How often each line ran, as in the annotated source.
    runs = collections.Counter()
    for file, line, n in zip(mine["insns"]["file"], mine["insns"]["line"], mine["insns"]["runs"]):
        if file >= 0:
            runs[data["files"][file]["path"], line] += n
    _, annotated = report(options, folder, "json", [run], "annotate")
    for file in json.loads(annotated)["regions"][0]["files"]:
        for line in file["lines"]:
            place = file["path"], line["line"] or 0
            expect(runs[place] == line["runs"], f"{place}: {runs[place]} runs, not {line['runs']}")


def case_small(options, folder):
    """The page of a short program has the lines and names that ran, and no others: 2.9 MB were 40 bytes each."""
    _, text = report(options, folder, "html", ["--all", options.program, "2", "1"])
    page, data = read_page(text)
    insns = [region["insns"] for region in data["regions"]]
    ran = {(file, line) for each in insns for file, line in zip(each["file"], each["line"])}
    for i, file in enumerate(data["files"]):
        for first, *lines in file["lines"] or [] if file else []:
            for line in range(first, first + len(lines)):
                expect(any((i, near) in ran for near in range(line - 3, line + 4)), f"line {line} of {file['path']}")
    used = {function for each in insns for function in each["function"]} - {-1}
    expect(used == set(range(len(data["functions"]))), f"{len(data['functions'])} functions, of which {len(used)} ran")
    expect(len(set(data["texts"])) == len(data["texts"]), "an instruction is there twice")
    n_insns = sum(len(each["form"]) for each in insns)
    expect(n_insns > 1000, f"{n_insns} instructions")
    size = len(page.scripts[0]) - sum(len(json.dumps(region["calls"])) for region in data["regions"])
    expect(size < 40 * n_insns, f"{size} bytes for {n_insns} instructions")


def case_hostile(options, folder):
    """Names of the program or its arguments cannot escape from the data."""
    _, text = report(options, folder, "html", ["--all", "/bin/echo", *HOSTILE])
    page, data = read_page(text)
    for name in HOSTILE[:2]:
        expect(name in data["command"], f"{data['command']} lacks {name}")
        expect(name in page.texts["title"], f"the title {page.texts['title']} lacks {name}")
    expect("\x1b" not in text, "a control character is left")
    expect(page.count("title") == page.count("main") == 1, "elements have been added")


def drawn_by(options, folder, path):
    """Returns the page as the browser rendered it, without errors."""
    command = [options.chromium, *BROWSER, "--user-data-dir=" + os.path.join(folder, "browser"),
               "--enable-logging=stderr",
               "--dump-dom", "file://" + path]
    # Crash reports and settings also go to the folder.
    done = run_well(command, env=environment(HOME=folder, XDG_CONFIG_HOME=folder, XDG_CACHE_HOME=folder,
                                             XDG_RUNTIME_DIR=folder))
    expect("Uncaught" not in done.stderr, re.findall(".*Uncaught.*", done.stderr))
    return Page(done.stdout)


def case_drawn(options, folder):
    """A browser renders all sections without an error."""
    path, text = report(options, folder, "html", ["--pipeline", "--function", "main", options.program, "2", "1"])
    drawn = drawn_by(options, folder, path)
    sections = [attributes["id"] for tag, attributes in drawn.elements if tag == "section"]
    expect(sections == ["summary", "flame", "models", "source", "calls", "trust"], sections)
    expect(drawn.texts["h1"] == "main", drawn.texts.get("h1"))
    expect("simulated out-of-order pipeline" in drawn.texts["p"], "the page does not say how cycles came about")
    # The last model has no figure for system calls: totals that contain them are marked.
    unknown = read_page(text)[1]["regions"][0]["estimates"][-1]["unknown_forms"]
    expect("SYSCALL" in (form for form, _ in unknown), unknown)
    expect(re.search(r">\d", drawn.texts["td"]), drawn.texts["td"])
    expect(re.search(r">[\d.,]+( k)? cycles", drawn.texts["div"]), drawn.texts["div"])
    cards = sum(attributes.get("class") == "card" for _, attributes in drawn.elements)
    expect(cards == 3, f"{cards} models")
    frames = [attributes.get("title", "") for _, attributes in drawn.elements if attributes.get("role") == "treeitem"]
    expect(any(title.startswith("delay_fifteen: ") for title in frames), frames)


USE = """
const said = {}, at = () => document.activeElement;
const press = (key) => at().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const frames = (which) => document.querySelectorAll(".flame " + which).length;
press("/");
said.find = at().id;
at().value = "delay_fifteen";
at().dispatchEvent(new Event("input"));
said.found = [...document.querySelectorAll(".flame .found")].map((frame) => frame.textContent);
press("Escape");
said.left = at().tagName;
document.querySelector(".flame [tabindex='0']").focus();
press("ArrowDown");
press("ArrowDown");
said.down = at().textContent;
at().click();  // as a browser does for Enter
said.zoomed = [at().textContent, frames(".around")];
press("Escape");
said.back = [at().textContent, frames(".around")];
const functions = [...document.querySelectorAll("#models .controls button")]
    .find((button) => button.textContent === "functions");
functions.focus();
functions.click();
said.chosen = [at().textContent, at().getAttribute("aria-pressed")];
document.querySelectorAll(".card")[2].focus();
at().click();
said.model = [at().className, at().title, at().getAttribute("aria-pressed")];
const theme = document.querySelector("header.bar button");
const paper = () => getComputedStyle(document.body).backgroundColor;
theme.click();
said.dark = paper();
theme.click();
said.light = paper();
said.aside = document.documentElement.scrollWidth - document.documentElement.clientWidth;
document.title = JSON.stringify(said);
"""


def case_used(options, folder):
    """Without a mouse: search, moving in the flame graph, zoom, other rows and models; both themes; no overflow."""
    path, text = report(options, folder, "html", ["--function", "main", options.program, "2000", "1"])
    # A name as long as those of C++ templates.
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace('"delay_two"', '"delay_two' + "<int, std::allocator>" * 20 + '"').replace(
            "</body>", f"<script>setTimeout(() => {{ {USE} }}, 0);</script></body>"))
    said = json.loads(drawn_by(options, folder, path).texts["title"])
    wanted = {"find": "find", "found": ["delay_fifteen"], "left": "BODY", "model": ["card", "rank by vax8800", "true"],
              "chosen": ["functions", "true"], "dark": "rgb(22, 24, 27)", "light": "rgb(251, 251, 249)", "aside": 0}
    for name, value in wanted.items():
        expect(said[name] == value, f"{name}: {said[name]}, not {value}")
    expect(said["down"].startswith("delay_"), f"the costliest below main: {said['down']}")
    expect(said["zoomed"] == [said["down"], 2], f"zoomed into {said['down']}: {said['zoomed']}")
    expect(said["back"] == ["main", 0], f"and back: {said['back']}")


PHONE = """
<iframe src="report.html" style="width: 400px; height: 800px"></iframe>
<script>
setTimeout(() => {
	const page = document.querySelector("iframe").contentDocument, said = {};
	const box = (element) => element.getBoundingClientRect(), all = (which) => [...page.querySelectorAll(which)];
	said.bar = box(page.querySelector("header.bar")).height;
	said.aside = page.documentElement.scrollWidth - page.documentElement.clientWidth;
	said.hidden = all("td.name").filter((cell) => cell.offsetParent && (box(cell).left < 0 || box(cell).left > 200))
		.map((cell) => cell.textContent);
	for (const table of all(".scroll")) table.scrollLeft = 1000;
	said.scrolled = all(".scroll td.name").filter((cell) => box(cell).left < 0).map((cell) => cell.textContent);
	const cut = all("td.name").filter((cell) => cell.scrollWidth > cell.clientWidth);
	const isMarked = (cell) => getComputedStyle(cell).textOverflow === "ellipsis" &&
		cell.title === cell.textContent.replace(/^[▸▾·]/, "");
	said.cut = cut.filter((cell) => !isMarked(cell)).map((cell) => cell.textContent);
	said.long = cut.filter((cell) => cell.textContent.includes("allocator")).length;
	said.heights = [...new Set(all(".card").map((card) => Math.round(box(card).height)))];
	said.chosen = all("tr.chosen td.code").map((cell) => cell.textContent.trim());
	document.title = JSON.stringify(said);
}, 500);
</script>
"""


def case_phone(options, folder):
    """Two lines of navigation, names in view and cut with an ellipsis, cards alike, the hottest own line."""
    path, text = report(options, folder, "html", ["--calls", "--function", "main", options.program, "2000", "1"])
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace('"delay_two"', '"delay_two' + "<int, std::allocator>" * 20 + '"'))
    outer = os.path.join(folder, "phone.html")
    with open(outer, "w", encoding="utf-8") as file:
        file.write("<!doctype html><title></title>" + PHONE)
    said = json.loads(drawn_by(options, folder, outer).texts["title"])
    expect(0 < said["bar"] < 80, f"the navigation is {said['bar']} pixels high")
    expect(said["aside"] == 0, f"the page is {said['aside']} pixels too wide")
    for key, wrong in ("hidden", "not in view"), ("scrolled", "scrolled away"), ("cut", "cut without a mark"):
        expect(said[key] == [], f"names {wrong}: {said[key][:3]}")
    expect(said["long"] > 0, "no name is too long")
    expect(len(said["heights"]) == 1, f"cards of {said['heights']} pixels")
    expect(len(said["chosen"]) == 1 and "delay" in said["chosen"][0], f"the source opens at {said['chosen']}")


def main():
    cases = {name[5:]: case for name, case in globals().items() if name.startswith("case_")}
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--chromium", default="")
    parser.add_argument("case", choices=cases)
    options = parser.parse_args()
    if options.case in ("drawn", "used", "phone") and not options.chromium:
        print("skipped: chromium is not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        cases[options.case](options, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
