#!/usr/bin/env python3
"""Runs command lines of Debian programs with and without itrace: output, files and exit status must be equal.

    commands.py --itrace ITRACE [--quick] [--engine ENGINE] [--only TEXT] [--verbose]

commands.list holds the command lines and how to start them. Each runs in a fresh copy of one folder, at one path, with
its own environment. A command that is not installed is reported and skipped. If two runs without itrace differ from
each other, the script reports that instead of a difference under itrace, and fails too: the list must hold only
reproducible commands.
"""
import argparse
import gzip
import lzma
import os
import random
import re
import shlex
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tarfile
import tempfile
import time

SKIPPED = 77
LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "commands.list")
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/games"
MOST_SECONDS = 120


class Command:
    def __init__(self, line, quick):
        self.line, self.quick = line, quick
        self.is_script = line.startswith("| ")
        self.text = line[2:]
        self.argv = ["bash", "-c", self.text] if self.is_script else shlex.split(self.text)

    def programs(self):
        """Returns the programs that the command needs."""
        if not self.is_script:
            return self.argv[:1]
        words = re.findall(r"(?:^|[|&;(]\s*|\bdo )([a-z][\w.]*)", re.sub(r"'[^']*'", "", self.text))
        return [word for word in words
                if word in ("gcc", "git", "make", "node", "openssl", "curl", "sqlite3", "bc", "perl")]

    def is_missing(self):
        return [name for name in self.programs() if not shutil.which(name, path=PATH)]


def read_list():
    commands, quick = [], False
    for line in open(LIST, encoding="utf-8").read().splitlines():
        if line.startswith("["):
            quick = "[quick]" in line
        elif line[:2] in ("$ ", "| "):
            commands.append(Command(line, quick))
    return commands


def words(n):
    chance = random.Random(7)
    letters = "eeeettaaooiinnsshhrrddlucmfwygpbvk"
    return ["".join(chance.choice(letters) for _ in range(chance.randint(2, 9))) for _ in range(n)]


def lay_out(folder):
    """Fills the folder for each command with fixed content."""
    chance = random.Random(1)
    some = words(3000)
    texts = {
        "words.txt": "".join(" ".join(some[i:i + 5]) + "\n" for i in range(0, 1500, 5)),
        "numbers.txt": "".join(f"{chance.randint(1, 60)}\n" for _ in range(200)),
        "table.csv": "".join(f"{word},{chance.randint(0, 999)}\n" for word in sorted(set(some[:120]))),
        "data.json": "[" + ", ".join('{"name": "%s", "value": %d}' % (word, chance.randint(0, 99))
                                     for word in some[:40]) + "]\n",
        "page.xml": "<page>" + "".join(f"<item n='{i}'>{word}</item>"
                                       for i, word in enumerate(some[:30])) + "</page>\n",
        "pairs.txt": "a b\nb c\nd c\nc e\n",
        "sums.bc": "2^200\nscale=20\n1/7\nquit\n",
        "change.patch": "--- numbers.txt\n+++ numbers.txt\n@@ -0,0 +1 @@\n+0\n",
        "hello.c": '#include <stdio.h>\nint main(int n, char **v)\n{\n\tfor (int i = 0; i < n; i++)\n\t\tputs(v[i]);\n'
                   '\treturn 0;\n}\n',
        "list.c": "#include <stdio.h>\n#include <stdlib.h>\n"
                  "int main(int n, char **v)\n{\n\tint most = n > 1 ? atoi(v[1]) : 3;"
                  '\n\n\twhile (most--)\n\t\tprintf("%d\\n", most);\n\treturn 0;\n}\n',
        "broken.c": "int main(void) { return x; }\n",
        "add.s": "\t.globl add\nadd:\tlea (%rdi,%rsi), %rax\n\tret\n",
        "Makefile": "all: hello list\n%: %.c\n\tgcc -O1 -o $@ $<\nclean:\n\trm -f hello list\n",
        "words.pl": 'my %n; while (<>) { $n{$_}++ for split } print "$_ $n{$_}\\n" for sort keys %n;\n',
        "words.py": "import collections, sys\nfor word, n in collections.Counter(open(sys.argv[1]).read().split())"
                    ".most_common(20):\n    print(word, n)\n",
        "threads.py": "import threading\nsums = [0] * 4\n\n\n"
                       "def add(i):\n    for k in range(2000):\n        sums[i] += k\n\n\n"
                      "threads = [threading.Thread(target=add, args=(i,)) for i in range(4)]\n"
                      "for thread in threads:\n    thread.start()\n"
                       "for thread in threads:\n    thread.join()\nprint(sums)\n",
        "count.lua": "local n = {}\n"
                     "for line in io.lines('words.txt') do\n  for w in line:gmatch('%a+') do n[#w] = (n[#w] or 0) "
                     "+ 1 end\nend\nfor i = 1, 9 do print(i, n[i]) end\n",
        "count.js": "const n = {};\nfor (const w of require('fs').readFileSync('words.txt', 'utf8').split(/\\s+/))\n"
                    "  n[w.length] = (n[w.length] || 0) + 1;\nconsole.log(JSON.stringify(n));\n",
        "count.tcl": "set sum 0\nfor {set i 0} {$i < 2000} {incr i} { incr sum $i }\nputs $sum\n",
        "count.sh": "i=0\nwhile [ $i -lt 300 ]; do i=$((i + 1)); done\necho $i\n",
        "table.sql": "create table t(a text, b int);\ninsert into t values('x', 1), ('y', 2);\n",
    }
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    noise = chance.randbytes(20000)
    open(os.path.join(folder, "noise.bin"), "wb").write(noise)
    open(os.path.join(folder, "noise.hex"), "w", encoding="ascii").write(
        "".join(noise[i:i + 8].hex() + "\n" for i in range(0, len(noise), 8)))
    os.mkdir(os.path.join(folder, "empty"))
    for i in range(6):
        below = os.path.join(folder, "tree", f"part{i % 3}")
        os.makedirs(below, exist_ok=True)
        with open(os.path.join(below, f"file{i}.txt"), "w", encoding="utf-8") as file:
            file.write("the " + " ".join(some[100 * i:100 * i + 80]) + "\n")
    with tarfile.open(os.path.join(folder, "archive.tar"), "w", format=tarfile.USTAR_FORMAT) as archive:
        for name in ("hello.c", "words.txt"):
            info = tarfile.TarInfo(name)
            info.size = os.path.getsize(os.path.join(folder, name))
            archive.addfile(info, open(os.path.join(folder, name), "rb"))
    for compressed, name in ((gzip.compress(texts["words.txt"].encode(), mtime=0), "words.gz"),
                             (lzma.compress(texts["words.txt"].encode()), "words.xz")):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(compressed)
    with sqlite3.connect(os.path.join(folder, "book.db")) as book:
        book.execute("create table books(id integer primary key, title text)")
        book.executemany("insert into books(title) values(?)", [(word,) for word in some[:200]])
    book.close()
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            os.utime(os.path.join(place, name), (86400, 86400))


def look(folder):
    """Returns kind, permissions and content of each path in a folder."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            mode = os.lstat(path).st_mode
            content = (os.readlink(path) if stat.S_ISLNK(mode)
                       else open(path, "rb").read() if stat.S_ISREG(mode) else None)
            found[os.path.relpath(path, folder)] = (oct(mode), content)
    return found


def is_compared(path):
    # Omits Git's index, which holds times and inode numbers, and programs just linked, which their run already checks.
    return not path.endswith((".git/index", ".git/logs/HEAD")) and "/logs/" not in path


def environment(place):
    return {
        "PATH": PATH, "HOME": place, "LC_ALL": "C.UTF-8", "TZ": "UTC", "TMPDIR": os.path.join(place, "empty"),
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_AUTHOR_DATE": "86400 +0000",
        "GIT_COMMITTER_NAME": "c", "GIT_COMMITTER_EMAIL": "c@example.org", "GIT_COMMITTER_DATE": "86400 +0000",
        "SOURCE_DATE_EPOCH": "86400", "GIT_CONFIG_NOSYSTEM": "1",
    }


def run(argv, pattern, place):
    """Returns the outcome of one run in a fresh copy of `pattern` at `place`."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(pattern, place, symlinks=True)
    begin = time.monotonic()
    process = subprocess.Popen(argv, cwd=place, env=environment(place), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = process.communicate(timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        err += b"(killed after %d s)" % MOST_SECONDS
    seconds = time.monotonic() - begin
    files = {path: what for path, what in look(place).items() if is_compared(path)}
    return {"stdout": out, "stderr": err, "exit status": process.returncode, **files}, seconds


def differences(one, other):
    for key in sorted(set(one) | set(other)):
        if one.get(key) != other.get(key):
            yield f"    {key}: {str(one.get(key))[:400]}\n    {' ' * len(key)}  {str(other.get(key))[:400]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--itrace", required=True)
    parser.add_argument("--quick", action="store_true", help="only what is marked so in the list")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--only", help="only commands that contain this")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    n_run = n_failed = 0
    missing = set()
    with tempfile.TemporaryDirectory() as folder:
        pattern, place, report = (os.path.join(folder, name) for name in ("pattern", "place", "report"))
        os.mkdir(pattern)
        lay_out(pattern)
        itrace = [os.path.abspath(options.itrace), "--engine", options.engine, "-o", report]
        for command in read_list():
            if (options.quick and not command.quick) or (options.only and options.only not in command.text):
                continue
            if command.is_missing():
                missing.update(command.is_missing())
                continue
            native, native_s = run(command.argv, pattern, place)
            traced, traced_s = run([*itrace, *(["-f"] if command.is_script else []), "--all", "--", *command.argv],
                                   pattern,
                                   place)
            n_run += 1
            if options.verbose:
                print(f"{native_s:7.3f} s {traced_s:7.3f} s  {command.line}", flush=True)
            if native == traced:
                continue
            again, _ = run(command.argv, pattern, place)
            n_failed += 1
            if again != native:
                print(f"differs from itself: {command.line}", *differences(native, again), sep="\n", flush=True)
            else:
                print(f"differs under itrace: {command.line}", *differences(native, traced), sep="\n", flush=True)
    if missing:
        print(f"not installed: {' '.join(sorted(missing))}")
    print(f"{n_run} command lines, {n_failed} of them differ")
    return 1 if n_failed else 0 if n_run else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
