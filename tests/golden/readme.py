"""README.md shows what itrace does today: each command in it succeeds, and output that it shows has the same lines but
for figures, addresses and instructions, which depend on the compiler, the C library and the CPU.

Usage: readme.py SOURCE_ROOT ITRACE PROGRAMS. ITRACE and the folder PROGRAMS take the places of `build/itrace` and
`build/tests/programs` in the README."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import environment, run_well  # noqa: E402

ROOT, ITRACE, PROGRAMS = (os.path.abspath(path) for path in sys.argv[1:4])
FIGURE = re.compile(r"[~<>≈?]?\d[\d,.]*( [munk]?s\b| [GMk]Hz\b|x\b|%)?")
# Rows that exist only if the executed instructions lack costs, which depends on the CPU that the C library runs on.
OF_THE_CPU = re.compile(r"# ~ fallback|# \? unknown|\w+ has no cost for .*|(# )+# more .*")


def shape_of(line):
    """The line without what differs between machines."""
    words = " ".join(line.split())
    if re.match(r"([\d,]+ ){3}[0-9a-f]+ [a-z]", words):
        return "an instruction of annotate"
    if re.search(r"[\d%] [A-Z][A-Z\d]+( \w+(, \w+)*)?$", words):
        return "a row of forms"
    words = re.sub(r", not counting .*| \(\d+ REP iterations?\)", "", words)
    words = FIGURE.sub("#", words)
    return re.sub(r"(# )+#", "#", words)


def shape_of_text(text):
    """The shapes of lines that every machine shows, each run of equal ones once."""
    shapes = []
    for line in text.splitlines():
        shape = shape_of(line)
        if shape and not OF_THE_CPU.fullmatch(shape) and shape not in shapes[-1:]:
            shapes.append(shape)
    return shapes


def read_blocks():
    """The indented blocks of the README, as lists of lines."""
    blocks, block = [], []
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as readme:
        for line in readme.read().splitlines() + ["the end"]:
            if line.startswith("    ") or (not line and block):
                block.append(line[4:])
            elif block:
                blocks.append(block)
                block = []
    return blocks


class Readme(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.symlink(ITRACE, os.path.join(self.folder, "itrace"))
        shutil.copy(os.path.join(ROOT, "LICENSE"), self.folder)
        shutil.copy(os.path.join(PROGRAMS, "collatz"), os.path.join(self.folder, "prog"))
        for name, text in (("notes.txt", "a note\n"), ("queries.sql", "select 1;\n")):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as out:
                out.write(text)

    def run_line(self, command):
        return run_well(["bash", "-c", command], cwd=self.folder, stderr=subprocess.STDOUT,
                        env=environment(PATH=self.folder + ":" + os.environ["PATH"], COLUMNS=""))

    def test_output(self):
        shown = [block for block in read_blocks() if block[0].startswith("$ build/itrace ")]
        self.assertGreaterEqual(len(shown), 2)
        for block in shown:
            command = block[0].removeprefix("$ ").replace("build/itrace", ITRACE)
            command = command.replace("build/tests/programs", PROGRAMS)
            wanted = shape_of_text("\n".join(block[1:]).split("\n...")[0])
            found = shape_of_text(self.run_line(command).stdout)
            self.assertGreater(len(wanted), 5)
            at = 0
            for shape in wanted:
                self.assertIn(shape, found[at:], block[0])
                at = found.index(shape, at) + 1

    def addresses(self):
        symbols = run_well(["nm", os.path.join(self.folder, "prog")]).stdout
        return [re.search(rf"^0*([0-9a-f]+) T {name}$", symbols, re.M).group(1) for name in ("main", "_fini")]

    def test_commands(self):
        commands = [line for block in read_blocks() for line in block if line.startswith("itrace ")]
        start, stop = self.addresses()
        self.assertGreaterEqual(len(commands), 9)
        for command in commands:
            command = command.split("     ")[0].replace("0x1139", "0x" + start).replace("0x1160", "0x" + stop)
            if "sqlite3" in command and not shutil.which("sqlite3"):
                continue
            with self.subTest(command=command):
                self.run_line(command)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
