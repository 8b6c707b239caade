#!/usr/bin/env python3
"""Tests source lines from debug information of many kinds.

    source.py --itrace ITRACE [--cc CC] [--cxx CXX] [--rustc RUSTC] [--go GO] CASE

source.py --list prints the cases. Exit status 77: a compiler is missing.
"""
import argparse
import csv
import ctypes
import http.server
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import PATIENCE_S, environment

FOLDER = os.path.dirname(os.path.abspath(__file__))
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


class Bench:
    def __init__(self, arguments, folder):
        self.itrace, self.folder = os.path.abspath(arguments.itrace), folder
        self.compilers = {".c": arguments.cc, ".cpp": arguments.cxx, ".rs": arguments.rustc, ".go": arguments.go}
        self.environment = environment(ITRACE_MODEL="skylake")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command, status=0):
        done = subprocess.run(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE_S)
        done.stdout, done.stderr = (text.decode(errors="surrogateescape") for text in (done.stdout, done.stderr))
        assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
        return done

    def copy(self, name, to=None):
        with open(os.path.join(FOLDER, name), "rb") as source, open(os.path.join(self.folder.encode(),
                                                                                 os.fsencode(to or name)),
                                                                    "wb") as copy:
            copy.write(source.read())

    def compile(self, source, *options, output="prog"):
        compiler = self.compilers[os.path.splitext(source)[1]]
        if not compiler or compiler == "none":
            print(f"skipped: no compiler for {source}")
            sys.exit(77)
        # Compilers such as Rust's may be front ends that find no compiler in this home folder.
        said = subprocess.run([compiler, "version" if source.endswith(".go") else "--version"], cwd=self.folder,
                              env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if said.returncode:
            print(f"skipped: {compiler} does not work: {' '.join(said.stderr.split())[:200]}")
            sys.exit(77)
        self.run(compiler, *options, *([source, "-o", output] if not source.endswith(".go") else
                                       ["build", "-o", output, source]))

    def record(self, *options, program="./prog"):
        self.run(self.itrace, "record", *options, "-o", "run.itrace", program)

    def report(self, *options):
        return self.run(self.itrace, "report", *options, "run.itrace").stdout

    def annotate(self, *options):
        return self.run(self.itrace, "annotate", *options, "run.itrace").stdout

    def annotated(self):
        return json.loads(self.annotate("--format", "json"))["regions"][0]


def marked_line(source):
    with open(os.path.join(FOLDER, source), encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if "// hottest" in line or "/* hottest" in line)


def hottest_line(region, name):
    lines = [(line["executions"], line["line"]) for file in region["files"]
             if os.path.basename(file["path"]) == name for line in file["lines"]]
    return max(lines)[1]


def cycles(estimates):
    return round(1000 * (estimates[0]["cycles"] or 0))


def check_adds_up(bench):
    """Each instruction is in exactly one row, for each kind of row."""
    for by in ("file", "line", "column", "inlined", "function"):
        region = json.loads(bench.report("--by", by, "--format", "json"))["regions"][0]
        assert sum(group["executions"] for group in region["groups"]) == region["instructions"], by
        assert sum(cycles(group["estimates"]) for group in region["groups"]) == cycles(region["estimates"]), by
        rows = list(csv.DictReader(io.StringIO(bench.report("--by", by, "--format", "csv"))))
        assert sum(int(row["executions"]) for row in rows if row["region"] == region["name"]) == region["instructions"]
    region = bench.annotated()
    lines = [line for file in region["files"] for line in file["lines"]]
    insns = [insn for line in lines for insn in line["instructions"]]
    for line in lines:
        assert line["executions"] == sum(insn["executions"] for insn in line["instructions"])
    for parts in (lines + region["without_lines"], insns + region["without_lines"]):
        assert sum(part["executions"] for part in parts) == region["instructions"]
        assert sum(cycles(part["estimates"]) for part in parts) == cycles(region["estimates"])
    addresses = [(insn["module"], insn["address"], insn["bytes"]) for insn in insns + region["without_lines"]]
    assert len(set(addresses)) == len(addresses)
    return region


@case
def c_adds_up(bench):
    bench.copy("plain.c")
    bench.compile("plain.c", "-O2", "-g")
    bench.record("--all")
    region = check_adds_up(bench)
    assert hottest_line(region, "plain.c") == marked_line("plain.c")
    # 3,000 and 1,000 rounds, and the code after each.
    calls = [insn["calls"] for file in region["files"] for line in file["lines"]
             if line["line"] == marked_line("plain.c") for insn in line["instructions"]]
    assert calls and all(call[0]["function"] == "mix" for call in calls), calls
    text = bench.annotate("--top", "1", "--context", "0", "--instructions")
    assert "/* hottest */" in text and "imul" in text, text
    assert "more (--top 0 for all)" in text and "total" in text, text


@case
def cpp_adds_up(bench):
    bench.copy("shapes.cpp")
    bench.compile("shapes.cpp", "-O2", "-g")
    bench.record("--all")
    region = check_adds_up(bench)
    assert hottest_line(region, "shapes.cpp") == marked_line("shapes.cpp")
    text = bench.report("--by", "inlined", "--top", "0")
    assert "mix<int>" in text and " <- main (shapes.cpp:" in text, text
    assert "shapes.cpp" in bench.report("--by", "file"), "a template's own file"


@case
def rust_adds_up(bench):
    bench.copy("words.rs")
    bench.compile("words.rs", "-O", "-g")
    bench.record("--all")
    region = check_adds_up(bench)
    assert hottest_line(region, "words.rs") == marked_line("words.rs")
    assert "words::mix" in bench.report("--by", "inlined", "--top", "0")


@case
def go_adds_up(bench):
    """A static program with its own threads, stacks and signals, and compressed debug information of DWARF 4 or 5."""
    bench.copy("words.go")
    # Otherwise Go may move a function to another thread, which confuses visits.
    bench.environment |= {"GOCACHE": bench.path("cache"), "GO111MODULE": "off", "GODEBUG": "asyncpreemptoff=1"}
    bench.compile("words.go")
    output = bench.run("./prog").stdout
    assert output == "20 the\n8 dog\n8 fox\n", output
    bench.record("--function", "main.mix")
    region = check_adds_up(bench)
    assert region["visits"] == 80, region["visits"]
    assert hottest_line(region, "words.go") == marked_line("words.go")
    done = bench.run(bench.itrace, "record", "--function", "main.main", "-o", "run.itrace", "./prog")
    assert done.stdout == output, done.stdout
    check_adds_up(bench)
    names = bench.report("--by", "function", "--top", "0")
    for name in ("main.main", "strings.Fields", "sort.Slice"):
        assert f"  {name} [prog]" in names, (name, names)


@case
def every_kind_of_debug_information(bench):
    bench.copy("plain.c")
    kinds = [["-gdwarf-2"], ["-gdwarf-3"], ["-gdwarf-4"], ["-gdwarf-5"], ["-gdwarf-2", "-gstrict-dwarf"],
             ["-gdwarf-5", "-gsplit-dwarf"], ["-gdwarf-4", "-gsplit-dwarf"], ["-g", "-gz"], ["-g", "-flto"],
             ["-g1"]]
    for kind in kinds:
        bench.compile("plain.c", "-O2", *kind)
        bench.record("--function", "main")
        region = bench.annotated()
        assert hottest_line(region, "plain.c") == marked_line("plain.c"), kind
    bench.compile("plain.c", "-O2", "-g")
    bench.run("objcopy", "--only-keep-debug", "prog", "prog.debug")
    bench.run("objcopy", "--strip-debug", "--remove-section=.note.gnu.build-id", "--add-gnu-debuglink=prog.debug",
              "prog", "linked")
    bench.record("--function", "main", program="./linked")
    assert hottest_line(bench.annotated(), "plain.c") == marked_line("plain.c")
    with open(bench.path("prog.debug"), "ab") as file:  # no longer matches the checksum in the link
        file.write(b"x")
    bench.record("--function", "main", program="./linked")
    names = [os.path.basename(file["path"]) for file in bench.annotated()["files"]]
    assert "plain.c" not in names, "a debug file with another checksum"


@case
def without_debug_information(bench):
    bench.copy("plain.c")
    bench.compile("plain.c", "-O2", "-g0")
    bench.record("--function", "main")
    text = bench.annotate()
    assert "main [prog]" in text and "imul" in text, text
    assert "(no line) [prog]" in bench.report("--by", "line")
    bench.compile("plain.c", "-O2", "-g0", "-s", output="stripped")
    bench.record("--all", program="./stripped")
    text = bench.annotate()
    va = int(re.search(r"^(\w+) T main$", bench.run("nm", "prog").stdout, re.M).group(1), 16)
    main = f"stripped+{va:#x}"  # from the unwind table
    assert f"{main} [stripped]" in text and "imul" in text, (main, text)
    for rows in (bench.report("--by", "function", "--top", "0"), bench.report("--tree", "--top", "0")):
        assert main in rows, (main, rows)
    check_adds_up(bench)


@case
def no_server_is_asked(bench):
    """libdw asks debuginfod servers for missing debug files. itrace asks none, because a report must not wait for a
    network."""
    try:
        ctypes.CDLL("libdebuginfod.so.1")
    except OSError:
        sys.exit(77)
    requests = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            requests.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    bench.copy("plain.c")
    bench.compile("plain.c", "-O2", "-g0", "-s", "-Wl,--build-id")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        urls = f"http://127.0.0.1:{server.server_address[1]}"
        bench.environment |= {"DEBUGINFOD_URLS": urls, "DEBUGINFOD_CACHE_PATH": bench.path("cache")}
        bench.record("--all")
        shown = bench.run(bench.itrace, "-o", "report.txt", "--by", "line", "--all", "env").stdout
        server.shutdown()
    assert not requests, requests
    assert f"DEBUGINFOD_URLS={urls}\n" in shown, "the program has its environment"


@case
def a_source_that_changed(bench):
    bench.copy("plain.c")
    bench.compile("plain.c", "-O2", "-g")
    os.utime(bench.path("plain.c"), (1, 1))
    bench.record("--function", "main")
    assert "lines may not match" not in bench.annotate()
    os.rename(bench.path("plain.c"), bench.path("away.c"))
    assert "source file not found" in bench.annotate()
    os.mkdir(bench.path("moved"))
    bench.copy("plain.c", "moved/plain.c")
    text = bench.annotate("--source-path", "moved")
    assert "/* hottest */" in text and "lines may not match" not in text, text
    bench.copy("counted.c", "plain.c")
    assert "changed since the run: lines may not match" in bench.annotate()
    text = bench.annotate("--source-path", "moved")
    assert "/* hottest */" in text and "lines may not match" not in text, text
    bench.record("--function", "main")
    assert "changed after the program was built" in bench.annotate()


@case
def names_that_are_no_text(bench):
    name = "\udcff\x1b[31m\n.c"
    bench.copy("plain.c", name)
    bench.compile(name, "-O2", "-g")
    bench.record("--function", "main")
    for text in (bench.annotate(), bench.report("--by", "line"), bench.report("--by", "column", "--format", "csv")):
        assert "\\xFF\\x1B[31m\\x0A.c" in text, text
        assert "\x1b" not in text and "\udcff" not in text, text
    region = bench.annotated()
    assert any("\\xFF" in file["path"] and "hottest" in "".join(line["text"] or "" for line in file["lines"])
               for file in region["files"]), region["files"]


@case
def damaged_files(bench):
    bench.copy("plain.c")
    bench.compile("plain.c", "-O2", "-g")
    bench.record("--function", "main")
    with open(bench.path("run.itrace"), "rb") as file:
        whole = file.read()
    for n_bytes in (0, 7, 8, 100, len(whole) // 2, len(whole) - 1):
        with open(bench.path("cut.itrace"), "wb") as file:
            file.write(whole[:n_bytes])
        done = bench.run(bench.itrace, "annotate", "cut.itrace", status=125)
        assert done.stdout == "" and "cut.itrace: " in done.stderr, done.stderr
    with open(bench.path("prog"), "rb") as file:
        program = bytearray(file.read())
    start = program.index(b"GNU C")  # the strings of debug information, whose content does not matter
    program[start - 200:start + 2000] = b"\xff" * 2200
    with open(bench.path("broken"), "wb") as file:
        file.write(program)
    os.chmod(bench.path("broken"), 0o755)
    bench.record("--function", "main", program="./broken")
    bench.annotate("--format", "json")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--itrace", "--cc", "--cxx", "--rustc", "--go"):
        parser.add_argument(name)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("case", nargs="?")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(CASES))
        return
    with tempfile.TemporaryDirectory() as folder:
        CASES[arguments.case](Bench(arguments, folder))


if __name__ == "__main__":
    main()
