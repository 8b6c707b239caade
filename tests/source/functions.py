#!/usr/bin/env python3
"""Tests how functions are found: by --function, --start, --stop and --map.

    functions.py --itrace ITRACE [--cc CC] [--cxx CXX] [--rustc RUSTC] [--go GO] CASE

functions.py --list prints the cases. Exit status 77: a compiler or a permission is missing.
"""
import csv
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import source
from source import Bench, main

CASES = source.CASES
CASES.clear()


def case(function):
    CASES[function.__name__] = function
    return function


def traced(bench, *options, program="./prog"):
    """Returns the report and itrace's sentences."""
    return bench.run(bench.itrace, *options, program).stderr


def visits(bench, name, program="./prog"):
    found = re.search(r"^(.*): ([\d,]+) visits?, ", traced(bench, "--function", name, program=program), re.M)
    assert found and found[1] == name, (name, found)
    return int(found[2].replace(",", ""))


def refused(bench, *options, program="./prog"):
    """Returns what itrace says when it traces nothing."""
    return bench.run(bench.itrace, *options, program, status=125).stderr


def executed_functions(bench, program, *options):
    bench.run(bench.itrace, "--all", "--by", "function", "--format", "csv", "--top", "0", "-o", "rows.csv", *options,
              program)
    with open(bench.path("rows.csv"), encoding="utf-8") as file:
        return [(row["function"], os.path.basename(row["module"])) for row in csv.DictReader(file)
                if row["region"] == "all"]


@case
def all_spellings_of_a_name(bench):
    bench.copy("names.cpp")
    bench.compile("names.cpp", "-O2")
    for name in ("n::S::g<int>", "int n::S::g<int>(int)", "n::S::g(int)", "_ZN1n1S1gIiEET_S2_", "n::S::operator*",
                 "n::S::operator()(int) const", "hidden", "(anonymous namespace)::hidden", "scaled",
                 "prog:hidden", "pr*:hid*n"):
        assert visits(bench, name) == 10, name
    assert visits(bench, "n::S::g") == 20
    assert visits(bench, "n::S::*") == 40
    if "scaled(int, int) [clone .constprop.0]" in bench.run("nm", "-C", "prog").stdout:
        assert visits(bench, "scaled.constprop") == 10
        assert visits(bench, "scaled(int, int) [clone .constprop.0]") == 10


@case
def blocks_of_a_function(bench):
    """itrace block takes the same names, of a linked program and of an object file."""
    bench.copy("names.cpp")
    bench.compile("names.cpp", "-O2", "-c", output="prog.o")
    bench.compile("names.cpp", "-O2", "-Wl,-z,lazy")
    bench.run("strip", "prog", "-o", "stripped")
    va = int(re.search(r"^(\w+) . .*hidden", bench.run("nm", "prog").stdout, re.M).group(1), 16)

    def block(path, name, status=0):
        done = bench.run(bench.itrace, "block", "--format", "json", "--object", path, "--function", name, status=status)
        return re.findall(r'"code_hex": "(\w+)"', done.stdout), done.stderr

    wanted = block("prog", "_ZN12_GLOBAL__N_16hiddenEi")
    assert wanted[0], wanted
    for path, name in (("prog", "hidden"), ("prog.o", "hidden(int)"), ("stripped", f"stripped+{va:#x}")):
        assert block(path, name) == wanted, (path, name, wanted)
    assert block("stripped", "printf@plt")[0]
    for path in ("prog", "prog.o"):
        text = block(path, "n::S::g", status=125)[1]
        assert f"{path} has 2 functions n::S::g, such as " in text and "; name one of them" in text, text


@case
def jumps_in_blocks_have_targets_as_in_objdump(bench):
    """Addresses as linked in a program; offsets in the function in an object file."""
    with open(os.path.join(bench.folder, "loop.c"), "w", encoding="ascii") as file:
        file.write("int g(int n) { return n; }\n"
                   "int f(int n) { int s = 0; while (n--) s += g(n); return s; }\n"
                   "int main(int argc, char **argv) { return f(argc); }\n")
    for path, options in (("prog", ()), ("prog.o", ("-c",))):
        bench.compile("loop.c", "-O1", "-fno-inline", *options, output=path)
        code = bench.run("objdump", "-d", "--disassemble=f", path).stdout
        targets = re.findall(r"\tj\w+ +(\w+) <f", code) if path == "prog" else re.findall(r"\tj.*<f\+0x(\w+)>", code)
        done = bench.run(bench.itrace, "block", "--format", "json", "--object", path, "--function", "f")
        said = re.findall(r'"disassembly": "j\w+ 0x(\w+)"', done.stdout)
        assert targets and said == targets, (path, said, targets)
        calls = re.findall(r"\tcall +(\w+) <g>", code) if path == "prog" else []
        assert calls == re.findall(r'"disassembly": "call 0x(\w+)"', done.stdout)[:len(calls)], done.stdout


@case
def several_functions_are_listed(bench):
    bench.copy("names.cpp")
    bench.compile("names.cpp", "-O2")
    text = traced(bench, "--function", "n::S::g")
    assert "--function n::S::g stands for 2 functions: int n::S::g<int>(int) [prog], long n::S::g<long>(long) [prog]" \
        in text, text
    assert "stands for" not in traced(bench, "--function", "n::S::g<int>")


def check_names_are_found(bench, program, rows):
    n_visited = 0
    for name, module in rows:
        if name == module:  # code without a function
            text = refused(bench, "--function", name, program="./" + program)
            assert f"{name} is no function: reports use this name for the code" in text, text
            continue
        text = "\n" + traced(bench, "--all", "--function", f"{module}:{name}", program="./" + program)
        assert "no function named" not in text, (program, name, text)
        # Code that is entered by a jump past the function's first instruction makes no visit.
        assert f"\n{module}:{name}: " in text or "its first instruction did not run" in text, (name, text)
        n_visited += f"\n{module}:{name}: " in text
    assert n_visited > 0.9 * len(rows), (n_visited, len(rows))


@case
def lines_of_several_functions_say_so(bench):
    """The instances of a template share their lines."""
    with open(os.path.join(bench.folder, "shared.cpp"), "w", encoding="ascii") as file:
        file.write("template <int N> __attribute__((noinline)) int add(int x) { return x + N; }\n"
                   "int main(int argc, char **) { return add<1>(argc) + add<2>(argc) == 5 ? 0 : 1; }\n")
    bench.compile("shared.cpp", "-O1", "-g")
    for view in (("--by", "line"), ("--by", "column"), ("--charge-back",)):
        text = traced(bench, "--all", "--top", "0", *view)
        assert re.search(r"shared\.cpp:1(:\d+)? +int add<1>\(int\) and others$", text, re.M), text
        assert re.search(r"shared\.cpp:2(:\d+)? +main$", text, re.M), text


@case
def every_name_of_the_table_is_found(bench):
    """In programs with and without symbols: functions, parts of the unwind table, entries of linkage tables."""
    bench.copy("names.cpp")
    bench.compile("names.cpp", "-O2", "-g", "-Wl,-z,lazy", output="prog")
    bench.run("strip", "prog", "-o", "stripped")
    for program in ("prog", "stripped"):
        rows = executed_functions(bench, "./" + program)
        names = [name for name, module in rows if module == program]
        assert any(name.endswith("@plt") for name in names), names
        assert program == "prog" or any(name.startswith("stripped+0x") for name in names), names
        check_names_are_found(bench, program, rows)


@case
def every_name_of_rust_is_found(bench):
    bench.copy("words.rs")
    bench.compile("words.rs", "-g")
    rows = [row for row in executed_functions(bench, "./prog") if row[1] == "prog"]
    assert ("words::mix", "prog") in rows and any("{" in name for name, _ in rows), rows
    check_names_are_found(bench, "prog", rows[:60])


@case
def every_name_of_go_is_found(bench):
    bench.copy("words.go")
    bench.environment |= {"GOCACHE": bench.path("cache"), "GO111MODULE": "off", "GODEBUG": "asyncpreemptoff=1"}
    bench.compile("words.go")
    rows = executed_functions(bench, "./prog")
    assert ("main.mix", "prog") in rows and any("(*" in name for name, _ in rows), rows
    check_names_are_found(bench, "prog", rows[:60])


@case
def similar_names_are_suggested(bench):
    bench.copy("names.cpp")
    bench.compile("names.cpp", "-O2", "-g")
    for typed, meant in (("mian", "main"), ("hiden", "(anonymous namespace)::hidden(int)"),
                         ("g", "int n::S::g<int>(int)"), ("prntf", "printf")):
        text = refused(bench, "--function", typed)
        assert f"no function named {typed} in the program or its libraries; did you mean {meant}?" in text, text
    assert "did you mean" not in refused(bench, "--function", "entirely_different")
    text = refused(bench, "--function", "libc.so.6:perror")
    assert "perror [libc.so.6] exists, but its first instruction did not run" in text, text


@case
def inlined_functions_are_told(bench):
    bench.copy("names.cpp")
    bench.compile("names.cpp", "-O2", "-g")
    with open(bench.path("names.cpp"), encoding="utf-8") as file:
        line = next(number for number, text in enumerate(file, 1) if text.strip() == "folded(i);")
    for name in ("folded", "folded(int)"):
        text = refused(bench, "--function", name)
        assert f"folded exists only inlined, for example in names.cpp:{line};" in text, text


@case
def inlined_functions_of_go_are_told(bench):
    with open(bench.path("prog.go"), "w", encoding="utf-8") as file:
        file.write("package main\n\nfunc add(a, b int) int { return a + b }\n\n"
                   "func main() {\n\tn := 0\n\tfor i := 0; i < 9; i++ {\n\t\tn = add(n, i)\n\t}\n\tprintln(n)\n}\n")
    bench.environment |= {"GOCACHE": bench.path("cache"), "GO111MODULE": "off"}
    bench.compile("prog.go")
    text = refused(bench, "--function", "main.add")
    assert "main.add exists only inlined, for example in prog.go:8;" in text, text


def instructions(bench, symbol):
    """The address and length of each instruction of a function."""
    text = bench.run("objdump", "-d", "-w", f"--disassemble={symbol}", "prog").stdout
    return [(int(address, 16), len(code.split()))
            for address, code in re.findall(r"^ +([0-9a-f]+):\t((?:[0-9a-f]{2} )+)", text, re.M)]


@case
def no_breakpoint_inside_an_instruction(bench):
    bench.copy("plain.c")
    bench.compile("plain.c", "-O2", "-g0")
    output = bench.run("./prog").stdout
    code = instructions(bench, "main")
    long = [(va, length) for va, length in code[1:-1] if length > 1]
    assert long
    for va, length in long:
        for inside in range(va + 1, va + length):
            for start, stop in ((inside, code[0][0]), (code[0][0], inside)):
                text = refused(bench, "--start", f"{start:#x}", "--stop", f"{stop:#x}")
                assert f"{inside:#x} is in the middle of the instruction '" in text, text
                assert f"begins at {va:#x}; the next one begins at {va + length:#x}" in text, text
    done = bench.run(bench.itrace, "--start", f"{code[0][0]:#x}", "--stop", f"{code[1][0]:#x}", "./prog")
    assert done.stdout == output and "1 visit, 1 instruction" in done.stderr, done
    va, length = long[0]
    text = refused(bench, "--start", f"prog+{va + 1:#x}", "--stop", f"{code[0][0]:#x}")
    assert f"begins at prog+{va:#x}; the next one begins at prog+{va + length:#x}" in text, text


@case
def each_start_has_its_stop(bench):
    bench.copy("plain.c")
    bench.compile("plain.c", "-O2", "-g0")
    code = [va for va, _ in instructions(bench, "main")]
    pairs = [(code[0], code[1]), (code[1], code[3])]
    text = traced(bench, *(word for start, stop in pairs
                           for word in ("--start", f"{start:#x}", "--stop", f"{stop:#x}")))
    for (start, stop), count in zip(pairs, ("1 instruction,", "2 instructions,")):
        assert f"{start:#x}..{stop:#x}: 1 visit, {count}" in text, text
    text = refused(bench, "--start", f"{code[0]:#x}", "--stop", f"{code[1]:#x}", "--start", f"{code[1]:#x}")
    assert "the numbers of --start (2) and --stop (1) differ" in text, text


@case
def generated_code_is_named(bench):
    """The loop of the generated function takes nearly all of the time, tracing or sampling."""
    bench.copy("jit.c")
    bench.compile("jit.c", "-O2")

    def run(*options, rounds, status=0):
        done = bench.run(bench.itrace, *options, "./prog", str(rounds), status=status)
        os.remove(done.stdout.strip())  # the compiler's map
        return done.stderr

    run("--all", "--by", "function", "--format", "csv", "-o", "rows.csv", rounds=10000)
    with open(bench.path("rows.csv"), encoding="utf-8") as file:
        rows = {row["function"]: int(row["executions"]) for row in csv.DictReader(file)}
    assert rows["JS:Counter.down"] == 20001, rows
    assert "JS:Counter.down" in run("--all", "--tree", rounds=10000)
    text = run("--function", "JS:Counter.down", rounds=1, status=125)
    assert "JS:Counter.down is code that the program generates while it runs" in text, text
    text = run("sample", "--period", "1ms", rounds=300000000)
    assert "JS:Counter.down" in text, text


@case
def maps_name_functions(bench):
    """A map of the linker or of nm, for a program that was stripped of its symbols and of its unwind table."""
    bench.copy("plain.c")
    bench.compile("plain.c", "-O2", "-g0", "-fno-asynchronous-unwind-tables", "-ffunction-sections",
                  "-Wl,--gc-sections", "-Wl,-Map=prog.map")
    with open(bench.path("prog.nm"), "w", encoding="utf-8") as file:
        file.write(bench.run("nm", "-S", "prog").stdout)
    bench.run("strip", "prog", "-o", "stripped")
    with open(bench.path("prog.map"), encoding="utf-8") as file:
        assert "\nDiscarded input sections\n" in file.read()
    assert ("main", "stripped") not in executed_functions(bench, "./stripped")
    for path in ("prog.map", "prog.nm"):
        assert ("main", "stripped") in executed_functions(bench, "./stripped", "--map", path), path
        text = bench.run(bench.itrace, "--map", path, "--function", "stripped:main", "./stripped").stderr
        assert "stripped:main: 1 visit, " in text, text
        bench.run(bench.itrace, "record", "--map", path, "--all", "-o", "run.itrace", "./stripped")
        assert "main [stripped]" in bench.report("--by", "function", "--top", "0"), path


def strip(bench, output, *options):
    bench.run("objcopy", "--strip-all", *options, "prog", output)
    assert "no symbols" in bench.run("nm", output).stderr


def check_names_of_stripped(bench, program, *wrapper):
    for options in (["--by", "function"], ["--tree"]):
        text = bench.run(*wrapper, bench.itrace, "--function", "n::S::g", *options, program).stderr
        assert "n::S::g: 20 visits, " in text and f"int n::S::g<int>(int) [{program[2:]}]" in text, text
    text = bench.run(*wrapper, bench.itrace, "sample", "--period", "1ms", program, "30000000").stderr
    assert f"  main [{program[2:]}]" in text, text


@case
def debug_files_name_functions(bench):
    """Beside the program by .gnu_debuglink, and in it by .gnu_debugdata."""
    bench.copy("names.cpp")
    bench.compile("names.cpp", "-O2", "-Wl,--build-id")
    strip(bench, "bare")
    assert "no function named n::S::g" in refused(bench, "--function", "n::S::g", program="./bare")
    bench.run("objcopy", "--only-keep-debug", "prog", "prog.debug")
    strip(bench, "linked", "--add-gnu-debuglink=prog.debug")
    check_names_of_stripped(bench, "./linked")
    os.remove(bench.path("linked"))
    bench.run("xz", "prog.debug")
    strip(bench, "mini", "--add-section", ".gnu_debugdata=prog.debug.xz")
    check_names_of_stripped(bench, "./mini")


@case
def debug_files_by_build_id_name_functions(bench):
    """Below /usr/lib/debug, where the case mounts a folder of its own."""
    bench.copy("names.cpp")
    bench.compile("names.cpp", "-O2", "-Wl,--build-id")
    strip(bench, "bare")
    build_id = re.search(r"Build ID: (\w+)", bench.run("readelf", "-n", "prog").stdout)[1]
    os.makedirs(bench.path(f"debug/.build-id/{build_id[:2]}"))
    bench.run("objcopy", "--only-keep-debug", "prog", f"debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug")
    mount = ["unshare", "-rm", "sh", "-c", 'mount --bind debug /usr/lib/debug && exec "$@"', "sh"]
    works = subprocess.run([*mount, "true"], cwd=bench.folder, capture_output=True, check=False)
    if works.returncode:
        print(f"skipped: cannot mount a folder: {works.stderr.decode()}")
        sys.exit(77)
    check_names_of_stripped(bench, "./bare", *mount)


@case
def the_vdso_has_functions(bench):
    with open(bench.path("clock.c"), "w", encoding="utf-8") as file:
        file.write("#include <time.h>\nint main(void)\n{\n\tstruct timespec time;\n\n"
                   "\tfor (int i = 0; i < 9; i++)\n\t\tclock_gettime(CLOCK_MONOTONIC, &time);\n\treturn 0;\n}\n")
    bench.compile("clock.c", "-O2")
    if not any(module == "[vdso]" for _, module in executed_functions(bench, "./prog")):
        print("skipped: the program does not use the vDSO")
        sys.exit(77)
    assert "__vdso_clock_gettime [vdso]" in traced(bench, "--all", "--by", "function", "--top", "0")
    assert visits(bench, "__vdso_clock_gettime") == 9


@case
def paths_with_newlines(bench):
    folder = bench.path("new\nline")
    os.mkdir(folder)
    bench.copy("names.cpp")
    bench.compile("names.cpp", "-O2")
    os.rename(bench.path("prog"), os.path.join(folder, "prog"))
    libc = re.search(r"libc\.so\.6 => (\S+)", bench.run("ldd", folder + "/prog").stdout)[1]
    bench.run("cp", libc, folder + "/libc.so.6")
    bench.environment["LD_LIBRARY_PATH"] = folder
    rows = executed_functions(bench, folder + "/prog")
    assert ("(anonymous namespace)::hidden(int)", "prog") in rows, rows
    assert any(name.startswith("printf") and module == "libc.so.6" for name, module in rows), rows
    assert all(name != "(no function)" for name, _ in rows), rows
    assert visits(bench, "hidden", program=folder + "/prog") == 10


if __name__ == "__main__":
    main()
