#!/usr/bin/env python3
"""Checks the manual pages and the JSON schemas against what itrace does.

    check_pages.py --itrace ITRACE --programs FOLDER CASE

Cases: columns (itrace-output(5) describes each CSV column that any report has), schemas (each key of JSON is
described, and as in itrace-output(5)), options (each page has the options of --help and no others), defaults (it
states the defaults of --help), links (each page that another one names exists).
"""
import argparse
import glob
import json
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from child import run_well

PAGES = os.path.join(HERE, "..", "..", "tracer", "man")
SCHEMAS = os.path.join(HERE, "..", "..", "tracer", "report", "json", "*.schema.json")
MODELS = "skylake,vax8800"
COMMANDS = "", "record", "report", "compare", "annotate", "block", "sample"
GROUPS = "form", "mnemonic", "category", "isa-extension", "function", "file", "line", "column", "inlined"


def expect(condition, text):
    if not condition:
        sys.exit(f"failed: {text}")


def read_page(name):
    with open(os.path.join(PAGES, name), encoding="utf-8") as file:
        return file.read()


def plain(text):
    """The text of mdoc(7) source without macros and escapes."""
    text = re.sub(r"^\.(It|Fl|Li|Cm|Ar|Pa|Ev|Em|Ql|Pq|Nm|Xr|Op|Sq)\b ?", "", text, flags=re.M)
    text = re.sub(r" Ns (Ar|Li|Fl|Cm) ", "", text)
    return " ".join(text.replace("\\-", "-").replace("\\&", "").split())


def items(page):
    """Item names of itrace-output(5), each with all its texts."""
    found = {}
    for name, text in re.findall(r"^\.It Li (.*)\n((?:[^.].*\n)+)", page, flags=re.M):
        found.setdefault(plain(name), set()).add(plain(text))
    return found


def csv_headers(options, folder):
    """The first line of each CSV report that there is."""
    run, threads = (os.path.join(folder, name) for name in ("run.itrace", "threads.itrace"))
    program = os.path.join(options.programs, "patest")
    run_well([options.itrace, "record", "--memory", "--per-thread", "--function", "main", "-o", run, program, "2", "1"])
    commands = [["report", "--by", by] for by in GROUPS] + [["compare"], ["report", "--per-thread"]]
    commands += [["report", view] for view in ("--tree", "--charge-back", "--memory")]
    for command in commands:
        yield run_well([options.itrace, *command, "--model", MODELS, "--format", "csv", run]).stdout
    for more in ["skylake"], ["skylake,zen4"], ["skylake", "--clock"]:
        yield run_well([options.itrace, "block", "--format", "csv", "--hex", "90", "--model", *more]).stdout
    yield run_well([options.itrace, "--all", "--follow", "--format", "csv", "-o", threads, program, "2", "1"]) and open(
        threads, encoding="utf-8").read()
    for more in [], ["--trials"], ["--check"]:
        run_well([options.itrace, "sample", *more, "--format", "csv", "-o", threads, program, "2000", "1"])
        yield open(threads, encoding="utf-8").read()


def case_columns(options, folder):
    known = items(read_page("itrace-output.5"))
    seen = set()
    for text in csv_headers(options, folder):
        for column in text.split("\n")[0].split(","):
            name = re.sub(r"_(skylake|zen4|vax8800)$", "_MODEL", re.sub(r"^samples_\d+ns$", "samples_Nns", column))
            expect(name in known, f"itrace-output(5) does not describe the column '{column}'")
            seen.add(name)
    expect(len(seen) > 50, f"only {len(seen)} columns")
    expect(known.keys() == seen, f"there are no columns {known.keys() - seen}")


def properties(schema):
    """(key, subschema) of all properties."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                yield from value.items()
            yield from properties(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from properties(value)


def case_schemas(options, folder):
    described = {}
    for path in glob.glob(SCHEMAS):
        with open(path, encoding="utf-8") as file:
            for key, value in properties(json.load(file)):
                expect(value.get("description"), f"{os.path.basename(path)} does not describe '{key}'")
                described.setdefault(key, set()).add(value["description"])
    expect(len(described) > 150, f"only {len(described)} keys")
    n_shared = 0
    for name, texts in items(read_page("itrace-output.5")).items():
        key = name.replace("_MODEL", "")
        # JSON has an object for a thread, an array of the rows that moved, and true for 1.
        if key not in described or key in ("thread", "moved", "different"):
            continue
        n_shared += 1
        expect({text.replace("empty:", "null:") for text in texts} & described[key],
               f"itrace-output(5) says of '{key}': {texts}, the schemas: {described[key]}")
    expect(n_shared > 40, f"only {n_shared} columns are keys, too")


def help_text(options, command):
    return run_well([options.itrace, *([command] if command else []), "--help"]).stdout


def page_of(command):
    return read_page(f"itrace-{command}.1" if command else "itrace.1")


def long_options(text):
    return set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, flags=re.M))


def case_options(options, folder):
    everywhere = {"help", "version"}
    tracing = long_options(help_text(options, ""))
    for command in COMMANDS:
        taken = long_options(help_text(options, command)) - everywhere
        named = set(re.findall(r"(?:Fl|,) -([a-z-]+)", page_of(command))) - everywhere
        heads = "\n".join(re.findall(r"^\.It Fl.*", page_of(command), flags=re.M))
        items_of = set(re.findall(r"(?:Fl|,) -([a-z-]+)", heads))
        # Options that are described in itrace(1), to which these pages refer.
        shared = tracing if command in ("annotate", "record") else set()
        expect(taken - shared <= named, f"the page of itrace {command} lacks {taken - shared - named}")
        expect(items_of - everywhere <= taken, f"itrace {command} does not take {items_of - taken}")


def case_defaults(options, folder):
    """`[20]` after an option in --help: the page names the value near the option."""
    n_defaults = 0
    for command in COMMANDS:
        blocks = re.split(r"\n(?= +(?:-\w, )?--[a-z]|\S|\n)", help_text(options, command))
        blocks = [re.fullmatch(r" *(?:-\w, )?--([a-z-]+).*\[([^\]]*)\]", " ".join(each.split())) for each in blocks]
        pieces = re.split(r"^\.It (?=Fl)", page_of(command), flags=re.M)
        for name, default in (each.groups() for each in blocks if each):
            piece = [plain(each) for each in pieces if re.search(rf"-{name}\b", each.split("\n")[0])]
            if not piece or " " in default or all("As in" in each for each in piece):
                continue
            n_defaults += 1
            default = {"stderr": "standard error"}.get(default, default)
            expect(any(default in each for each in piece),
                   f"itrace {command}: --{name} has the default {default}, not as in: {piece}")
    expect(n_defaults > 12, f"only {n_defaults} defaults")


def case_links(options, folder):
    pages = {os.path.basename(path) for path in glob.glob(os.path.join(PAGES, "itrace*"))}
    with open(os.path.join(PAGES, "..", "..", "meson.build"), encoding="utf-8") as file:
        build = file.read()
    for page in pages:
        expect(f"'tracer/man/{page}'" in build, f"{page} is not installed")
        for name, section in re.findall(r"^\.Xr (itrace[a-z-]*) (\d)", read_page(page), flags=re.M):
            expect(f"{name}.{section}" in pages, f"{page} refers to {name}({section})")
        expect(page == "itrace.1" or page.rsplit(".", 1)[0] in read_page("itrace.1"), f"itrace(1) does not name {page}")


def main():
    cases = {name[5:]: case for name, case in globals().items() if name.startswith("case_")}
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("case", choices=cases)
    options = parser.parse_args()
    options.itrace = os.path.abspath(options.itrace)
    with tempfile.TemporaryDirectory() as folder:
        cases[options.case](options, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
