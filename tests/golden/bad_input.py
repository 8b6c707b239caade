#!/usr/bin/env python3
"""Checks itrace's reaction to errors: the message, the exit status, and that no result is lost.

    bad_input.py --itrace ITRACE --programs FOLDER [CASE ...]
    bad_input.py --list

Each function case_NAME is one case. FOLDER holds the built programs of tests/programs.
"""
import ctypes
import errno
import fcntl
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import main
from child import PATIENCE_S, Failure, environment


class Run:
    """A finished run of itrace."""

    def __init__(self, command, status, stdout, stderr, report):
        self.command, self.status, self.stdout, self.stderr, self.report = command, status, stdout, stderr, report

    def expect(self, status, *said, stdout=None, not_said=()):
        """Checks the status, that standard error matches each pattern, and the standard output."""
        problems = []
        if self.status != status:
            problems.append(f"ended with {self.status}, expected {status}")
        problems += [f"did not say '{pattern}'" for pattern in said if not re.search(pattern, self.stderr)]
        problems += [f"said '{pattern}'" for pattern in not_said if re.search(pattern, self.stderr)]
        if stdout is not None and self.stdout != stdout:
            problems.append(f"standard output {self.stdout!r}, expected {stdout!r}")
        if problems:
            raise Failure("\n  ".join([" ".join(self.command), *problems, "standard error: " + self.stderr]))

    def region(self, name):
        for region in json.loads(self.report)["regions"]:
            if region["name"] == name and region["signal_handlers_of"] is None:
                return region
        raise Failure(f"{' '.join(self.command)}: no region {name} in the report")


class Bench:
    """The environment of the cases: a temporary folder, itrace, the programs."""

    def __init__(self, options, folder):
        self.itrace, self.programs = os.path.abspath(options.itrace), os.path.abspath(options.programs)
        self.folder = folder

    def program(self, name):
        return os.path.join(self.programs, name)

    def file(self, name, content, mode=0o644):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        os.chmod(path, mode)
        return path

    def start(self, *arguments, prepare=None, terminal=None):
        """Runs a command in its own session, whose terminal is this descriptor, if any."""
        def in_child():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if terminal is not None:
                fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
            if prepare:
                prepare()

        return subprocess.Popen([self.itrace, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.folder, env=environment(), start_new_session=True,
                                preexec_fn=in_child)

    def finish(self, process):
        try:
            stdout, stderr = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            stderr += b" (killed: it took too long)"
        report = ""
        path = os.path.join(self.folder, "report.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                report = file.read()
        return Run(process.args, process.returncode, stdout.decode(), stderr.decode(errors="replace"), report)

    def run(self, *arguments, prepare=None):
        return self.finish(self.start(*arguments, prepare=prepare))

    def run_json(self, *arguments):
        return self.run("--format", "json", "-o", "report.json", *arguments)


def elf_header(elf_class, machine):
    """Returns the smallest ELF executable of this class (1: 32, 2: 64 bits) and machine."""
    identity = b"\x7fELF" + bytes([elf_class, 1, 1]) + bytes(9)
    address = "<I" if elf_class == 1 else "<Q"
    header_bytes, entry_bytes = (52, 32) if elf_class == 1 else (64, 56)
    header = identity + struct.pack("<HHI", 2, machine, 1)
    header += struct.pack(address, 0x10000) + struct.pack(address, header_bytes) + struct.pack(address, 0)
    header += struct.pack("<IHHHHHH", 0, header_bytes, entry_bytes, 1, 0, 0, 0)
    # One loadable segment. 32 bits: mov eax, 1; xor ebx, ebx; int 0x80.
    code = b"\xb8\x01\0\0\0\x31\xdb\xcd\x80"
    size = header_bytes + entry_bytes + len(code)
    start = 0x10000
    if elf_class == 1:
        segment = struct.pack("<IIIIIIII", 1, 0, start, start, size, size, 5, 4096)
    else:
        segment = struct.pack("<IIQQQQQQ", 1, 5, 0, start, start, size, size, 4096)
    image = bytearray(header + segment + code)
    struct.pack_into(address, image, 24, start + header_bytes + entry_bytes)
    return bytes(image)


# The program cannot be traced.

def case_nothing_to_run(bench):
    bench.run().expect(125, "no program to run; try 'itrace --help'", stdout="")
    bench.run("annotate").expect(125, "no saved run to show, and no program to run; try 'itrace annotate --help'",
                                 stdout="")


def case_not_found(bench):
    for name in ("./nowhere", "no-such-program-in-the-path"):
        bench.run(name).expect(127, re.escape(name), stdout="")


def case_mistyped_command(bench):
    """A word counts as a command only if no program has that name."""
    for name, meant in (("recrod", "record"), ("anotate", "annotate"), ("reports", "report"), ("smaple", "sample"),
                        ("help", "--help")):
        bench.run(name, "./prog").expect(127, f"no program named '{name}'", f"did you mean 'itrace {meant}'", stdout="")
    for name in ("recall", "lk", "./recrod"):
        bench.run(name).expect(127, re.escape(name), not_said=("did you mean",), stdout="")
    os.symlink(bench.program("hello"), os.path.join(bench.folder, "recrod"))
    done = subprocess.run([bench.itrace, "recrod"], env={"PATH": bench.folder}, cwd=bench.folder, capture_output=True,
                          text=True)
    if done.stdout != "hello\n":
        raise Failure(f"a program named recrod did not run: {done.stderr}")


def case_mistyped_option(bench):
    hello = bench.program("hello")
    bench.run("--modle", "skylake", hello).expect(125, "unknown option --modle; did you mean --model\\?", stdout="")
    bench.run("record", "--fucntion=main", hello).expect(125, "did you mean --function\\?", stdout="")
    bench.run("--xyz", hello).expect(125, "unknown option --xyz; try 'itrace --help'", stdout="")
    bench.run("-x", hello).expect(125, "unknown option -x; try 'itrace --help'", stdout="")
    # A letter among others: getopt does not report its position.
    for command in ([], ["report"], ["sample"], ["block"], ["--all"], ["block", "--timeline"]):
        for letters in ("-zh", "-zhz", "-z"):
            bench.run(*command, letters, hello).expect(125, "unknown option -z; try 'itrace ", stdout="")
    bench.run("-fz", hello).expect(125, "unknown option -z; try", stdout="")
    bench.run("-fo").expect(125, "-o needs a value; try", stdout="")
    bench.run("sample", "-o").expect(125, "-o needs a value; try", stdout="")
    bench.run("--all=3", hello).expect(125, "--all takes no value", stdout="")
    bench.run("--max", "3", hello).expect(125, "--max is ambiguous: it may mean --max-instructions or --max-visits",
                                          stdout="")
    bench.run("--model").expect(125, "--model needs a value; try 'itrace --help'", stdout="")
    bench.run("block", "--hxe=90").expect(125, "unknown option --hxe; did you mean --hex\\?", stdout="")
    bench.run("sample", "--perod", "1", hello).expect(125, "unknown option --perod; did you mean --period\\?",
                                                      stdout="")


def case_help_of_each_command(bench):
    """Each message names options of that command."""
    for command in ([], ["record"], ["report"], ["compare"], ["annotate"], ["block"], ["sample"]):
        run = bench.run(*command, "--help")
        run.expect(0, stdout=run.stdout)
        names = set(re.findall(r"^ +(?:-\w, )?--([\w-]+)", run.stdout, re.MULTILINE)) - {"help", "version"}
        names |= set(re.findall(r", --([\w-]+)", run.stdout))
        if len(names) < 5:
            raise Failure(f"{command}: only {names} in {run.stdout}")
        for name in names:
            said = bench.run(*command, f"--{name}=", "nothing").stderr
            if not said or "option --" in said:
                raise Failure(f"{command} --help names --{name}: {said}")


def case_not_executable(bench):
    bench.run(bench.file("plain", "text\n")).expect(126, "plain", stdout="")
    os.mkdir(os.path.join(bench.folder, "folder"))
    bench.run("./folder").expect(126, "folder", stdout="")


def case_not_elf(bench):
    bench.run(bench.file("noise", bytes(range(200)), 0o755)).expect(126, "noise")
    bench.run(bench.file("empty", "", 0o755)).expect(126, "empty")


def case_truncated_elf(bench):
    """A damaged file is reported at once, or the program dies as without itrace."""
    for source in (bench.program("hello"), "/usr/bin/true"):
        with open(source, "rb") as file:
            content = file.read()
        for size in (20, 64, 100, 700, 3000, len(content) // 2):
            path = bench.file(f"cut{size}", content[:size], 0o755)
            bench.run("--all", path).expect(126, f"cut{size}") if size <= 100 else expect_as_natively(bench, path)


def expect_as_natively(bench, path):
    try:
        natively = subprocess.run([path], capture_output=True, check=False).returncode
    except OSError:
        natively = None
    for way in (("--all",), ("-f", "--all"), ("record", "--all", "-o", "damaged.itrace"), ("--all", "--repeat", "2"),
                ("record", "-f", "--all", "-o", "damaged-%p.itrace"), ("sample",), ("sample", "--method", "stops")):
        begin = time.monotonic()
        run = bench.run(*way, path)
        took = time.monotonic() - begin
        if took > PATIENCE_S / 4:
            raise Failure(f"{' '.join(run.command)} took {took:.0f} s")
        if natively is None or run.status == 126:
            run.expect(126, f"cannot execute '{path}': .", stdout="")
        elif run.status == 125:
            run.expect(125, "cannot read the program's code at 0x[0-9a-f]+: Input/output error")
        else:
            run.expect(natively)


def case_elf_of_32_bits(bench):
    bench.run(bench.file("small", elf_header(1, 3), 0o755)).expect(125, "small", "32-bit")


def case_elf_of_another_machine(bench):
    bench.run(bench.file("foreign", elf_header(2, 183), 0o755)).expect(126, "foreign")


def case_script(bench):
    """The interpreter is traced; the program's own output is complete."""
    shutil.copy(bench.program("kinds_static"), bench.folder)  # the #! line ends its path at a space
    script = bench.file("script", f"#!{bench.folder}/kinds_static\n", 0o755)
    run = bench.run_json(script)
    run.expect(0, stdout="55 15\n")
    if run.region("counted")["instructions"] != 45:
        raise Failure("the interpreter of a script was not traced")


def case_script_without_interpreter(bench):
    bench.run(bench.file("script", "#!/nowhere/interpreter\n", 0o755)).expect(127, "script", "interpreter")


def case_ptrace_refused_by_seccomp(bench):
    """Installs a filter that makes ptrace fail, like those of containers."""
    # Load the number; if it is 101, ptrace, return SECCOMP_RET_ERRNO with EPERM, else SECCOMP_RET_ALLOW.
    instructions = [(0x20, 0, 0, 0), (0x15, 0, 1, 101), (0x06, 0, 0, 0x50000 | errno.EPERM), (0x06, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *each) for each in instructions))

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    filter_program = Filter(len(instructions), ctypes.cast(code, ctypes.c_void_p))

    def forbid_ptrace():
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
        if libc.prctl(22, 2, ctypes.byref(filter_program), 0, 0):  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
            os._exit(99)

    bench.run(bench.program("hello"), prepare=forbid_ptrace).expect(125, "seccomp", stdout="")


# Wrong regions.

def case_no_region_reached(bench):
    """The message lists the existing markers. The program's output is printed, and its own failure is not hidden."""
    bench.run(bench.program("children")).expect(2, "no region", "parent", "counted")
    bench.run(bench.program("hello")).expect(125, "no region", "PA_BEGIN.*--function NAME", stdout="hello\n")


def case_no_such_region(bench):
    bench.run("--region", "viists", bench.program("visits")).expect(125, "no region", "visits")


def case_no_such_function(bench):
    """A user who named a function is not told that functions can be named."""
    for program in ("tail_call", "hello"):
        bench.run("--function", "frist", bench.program(program)).expect(125, "frist", not_said=("PA_BEGIN",))


def case_begin_without_end(bench):
    run = bench.run(bench.program("exit_inside"))
    run.expect(9, "unended", "without (an )?end|cut|ended with|program.s end")


def case_end_without_begin(bench):
    bench.run(bench.program("end_only")).expect(0, "3 .*(end|END)")


def case_bad_addresses(bench):
    hello = bench.program("hello")
    bench.run("--start", "here", "--stop", "0x1000", hello).expect(125, "here", stdout="")
    bench.run("--start", "0x401000", hello).expect(125, "--stop", stdout="")
    bench.run("--start", "nolib.so+0x10", "--stop", "nolib.so+0x20", hello).expect(125, "nolib.so")
    bench.run("--start", "0x123", "--stop", "0x456", hello).expect(125, "0x123", not_said=("PA_BEGIN",))


# Options, models and output.

def case_bad_options(bench):
    bench.run().expect(125, "program", stdout="")
    bench.run("--formt", "json", bench.program("hello")).expect(125, "--formt", stdout="")
    bench.run("--format", "yaml", bench.program("hello")).expect(125, "yaml", "json", stdout="")
    bench.run("--top", "many", bench.program("hello")).expect(125, "many", stdout="")
    bench.run("--by", "color", bench.program("hello")).expect(125, "color", "mnemonic", stdout="")


def case_bad_blocks(bench):
    bench.run("block").expect(125, "--hex", "--csv", stdout="")
    bench.run("block", "--hex", "zz").expect(125, "zz", "hexadecimal", stdout="")
    for hex in "48018", "", " ":
        bench.run("block", "--hex", hex).expect(125, f"'{hex}'", "hexadecimal", stdout="")
    bench.run("block", "--hex", "4801", "-m", "skylake,zen4").expect(
        125, "byte 0 .* does not begin a complete instruction", stdout="")
    bench.run("block", "--hex", "90", "--mode", "twice").expect(125, "twice", "unrolled", stdout="")
    bench.run("block", "--hex", "90", "--pointers", "wild").expect(125, "wild", "distinct", stdout="")
    bench.run("block", "--hex", "90", "--model", "vax8800").expect(125, "vax8800", "no rules", stdout="")
    bench.run("block", "--object", bench.program("hello")).expect(125, "--function", stdout="")
    bench.run("block", "--object", bench.program("hello"), "--function", "nothing").expect(125, "no function nothing")
    # A bad block does not affect the others.
    blocks = bench.file("blocks.csv", "code_hex,measured\n48,1\n90,0.25\n")
    bench.run("block", "--csv", blocks).expect(
        0, "blocks.csv:2:",
        stdout="code_hex,cycles_per_iteration,bottleneck,unknown_forms,bottlenecks\n48,,undecodable,,\n"
               "90,0.25,issue,0,predecode decode issue\n")
    garbage = bench.file("garbage.csv", "code_hex\nhello\n")
    bench.run("block", "--csv", garbage).expect(125, "garbage.csv:2:", "hello")


def case_unknown_model(bench):
    """The message offers the closest names, and the program does not run."""
    bench.run("--model", "skylaek", bench.program("hello")).expect(125, "skylaek", "skylake", stdout="")
    bench.run("--model", "./nowhere.cost", bench.program("hello")).expect(125, "nowhere.cost", stdout="")


def case_models_in_a_list(bench):
    """An empty name is refused. A model that is named twice, by any of its names, appears once."""
    hello = bench.program("hello")
    for names in ("skylake,", ",skylake", "skylake,,zen4", ",", ""):
        said = f"--model '{names}': a name is empty"
        bench.run("--all", "--model", names, hello).expect(125, said, stdout="")
        bench.run("block", "--hex", "90", "--model", names).expect(125, said, stdout="")
    bench.run("--all", "--caches=skylake,", hello).expect(125, "--caches 'skylake,': a name is empty", stdout="")
    run = bench.run_json("--all", "--model", "skylake,zen4,skylake", hello)
    run.expect(0)
    models = [model["name"] for model in json.loads(run.report)["models"]]
    if models != ["skylake", "zen4"]:
        raise Failure(f"the models of the report: {models}")
    run = bench.run_json("--all", "--model", "icelake,zen4,rocketlake,znver4,rkl", hello)
    run.expect(0)
    models = [(model["name"], model.get("note")) for model in json.loads(run.report)["models"]]
    note = "stands in for %s, which has no figures of its own"
    if models != [("icelake", f"{note % 'rkl'}; {note % 'rocketlake'}"), ("zen4", None)]:
        raise Failure(f"the models of the report: {models}")
    for names in ("zen4,zen4", "zen4,znver4"):
        run = bench.run("block", "--hex", "90", "--model", names, "--format", "csv")
        run.expect(0, stdout=bench.run("block", "--hex", "90", "--model", "zen4", "--format", "csv").stdout)


def case_broken_model(bench):
    for name, content in (("text", "what is this\n"), ("binary", bytes(range(256)) * 10), ("empty", "")):
        path = bench.file(name + ".cost", content)
        bench.run("--model", path, bench.program("hello")).expect(125, rf"{name}\.cost:\d+: .", stdout="")
    head = "itrace-cost-model 1\nname = a\ntitle = t\nrank = latency\nsource = s\n"
    for name, content, line in (("circle", "itrace-cost-model 1\nname = a\ninherit = ./circle.cost\n", 3),
                                ("twice", head + "[forms]\nRET | 1\nRET | 2\n", 8),
                                ("negative", head + "[forms]\nRET | -1\n", 7),
                                ("absurd", head + "[forms]\nRET | 1000001\n", 7)):
        path = bench.file(name + ".cost", content)
        for arguments in (("--model", path, bench.program("hello")), ("models", "check", path)):
            bench.run(*arguments).expect(125, rf"{name}\.cost:{line}: .", stdout="")


def case_broken_import(bench):
    """No incomplete file remains."""
    for content, message in (("<html/>", r"i\.xml:1: .*<html>"), ("<root>\n<instruction>", r"i\.xml:2: .*not complete"),
                             (bytes(range(256)), r"i\.xml:1: ")):
        path = bench.file("i.xml", content)
        bench.run("models", "import", path, "--arch", "SKL", "-o", "my.cost").expect(125, message, stdout="")
        for name in ("my.cost", "my.cost.part"):
            if os.path.exists(os.path.join(bench.folder, name)):
                raise Failure(f"{name} was left behind")


def case_full_disk(bench):
    """The program has already done its work."""
    for option in ("--output=/dev/full", "--trace=/dev/full"):
        run = bench.run("--all", option, bench.program("hello"))
        run.expect(125, "/dev/full", "[Nn]o space", stdout="hello\n")


def case_help_to_a_full_disk(bench):
    for command in (["--help"], ["--version"], ["report", "--help"], ["block", "--help"], ["sample", "--help"],
                    ["models", "--help"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([bench.itrace, *command], stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=PATIENCE_S)
        if done.returncode != 125 or "No space" not in done.stderr:
            raise Failure(f"{command}: ended with {done.returncode}, saying {done.stderr!r}")


def case_report_to_a_closed_output(bench):
    bench.run("record", "--no-calls", "--all", "-o", "run.itrace", bench.program("hello"))
    for command in (["report", "run.itrace"], ["compare", "run.itrace"], ["annotate", "run.itrace"], ["--help"]):
        done = subprocess.run([bench.itrace, *command], cwd=bench.folder, stderr=subprocess.PIPE, text=True,
                              timeout=PATIENCE_S,
                              preexec_fn=lambda: os.close(1))
        if done.returncode != 125 or "Bad file descriptor" not in done.stderr:
            raise Failure(f"{command}: ended with {done.returncode}, saying {done.stderr!r}")


def case_output_cannot_be_opened(bench):
    """The message comes before the program runs."""
    bench.run("--all", "-o", "/nowhere/report", bench.program("hello")).expect(125, "/nowhere/report", stdout="")
    bench.run("--all", "--trace=/nowhere/steps", bench.program("hello")).expect(125, "/nowhere/steps", stdout="")


# Saved profiles.

def case_record_caches_of_the_default_models(bench):
    """--caches without names simulates the caches of the models that a report uses by default."""
    bench.run("record", "--all", "--caches", "-o", "run.itrace", bench.program("hello")).expect(0)
    run = bench.run("report", "--model", "zen4", "run.itrace")
    run.expect(0)
    if "caches are simulated" not in run.stdout:
        raise Failure(f"the report lacks the caches:\n{run.stdout}")


def case_record_where_it_cannot(bench):
    """The message comes before the program runs, and no file remains."""
    bench.file("target", "old")
    os.symlink("target", os.path.join(bench.folder, "link"))
    os.mkdir(os.path.join(bench.folder, "folder"))
    for path, said in (("/nowhere/run.itrace", "No such file"), ("/dev/full", "not a regular file"),
                       ("link", "not a regular file"), ("folder", "not a regular file"),
                       ("folder/", "it names no file")):
        bench.run("record", "--all", "-o", path, bench.program("hello")).expect(125, re.escape(path), said, stdout="")
    if sorted(os.listdir(bench.folder)) != ["folder", "link", "target"]:
        raise Failure(f"left over: {os.listdir(bench.folder)}")


def case_record_on_a_full_disk(bench):
    """The program has already done its work; the previous file is intact."""
    path = bench.file("run.itrace", "old")

    def forbid_large_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))

    run = bench.run("record", "--all", "-o", path, bench.program("hello"), prepare=forbid_large_files)
    run.expect(125, "run.itrace", "too large", stdout="hello\n")
    with open(path, encoding="ascii") as file:
        if file.read() != "old" or os.listdir(bench.folder) != ["run.itrace"]:
            raise Failure(f"the former file was not kept whole, or left over: {os.listdir(bench.folder)}")


def case_record_without_a_region(bench):
    """There is nothing to save; the default name is that of the program."""
    bench.run("record", bench.program("hello")).expect(125, "no region", stdout="hello\n")
    if os.listdir(bench.folder):
        raise Failure(f"left over: {os.listdir(bench.folder)}")
    bench.run("record", "--all", bench.program("hello")).expect(0, "hello.itrace", stdout="hello\n")
    if os.listdir(bench.folder) != ["hello.itrace"]:
        raise Failure(f"in the folder: {os.listdir(bench.folder)}")


def case_report_of_other_files(bench):
    hello = bench.program("hello")
    bench.run("report", hello).expect(125, "not an itrace profile", "itrace record", stdout="")
    bench.run("report", "nowhere").expect(125, "nowhere", "No such file", stdout="")
    bench.run("compare", ".").expect(125, "not an itrace profile", stdout="")
    bench.run("report").expect(125, "no file", stdout="")
    bench.run("report", "a", "b").expect(125, "expected one file, got 'a' and 'b'", stdout="")
    bench.run("report", "--all", "a").expect(
        125, "'itrace report' has no option --all; these have: 'itrace', 'itrace record', 'itrace annotate'\n",
        stdout="")
    bench.run("record", "--top", "3", hello).expect(
        125, "'itrace record' has no option --top; these have: 'itrace', 'itrace report'", stdout="")
    bench.run("report", "--repeat", "3", "a").expect(
        125, "'itrace report' has no option --repeat; these have: 'itrace'\n", stdout="")


def case_report_of_damaged_files(bench):
    bench.run("record", "--all", "-o", "run.itrace", bench.program("hello"))
    with open(os.path.join(bench.folder, "run.itrace"), "rb") as file:
        content = file.read()
    middle = len(content) // 2
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1:]
    for name, damaged in (("cut", content[:middle]), ("flipped", flipped), ("longer", content + b"x")):
        run = bench.run("report", bench.file(name, damaged))
        run.expect(125, f"{name}: damaged itrace profile: .*record the run again", stdout="")
    newer = bench.file("newer", content[:7] + b"\x04" + content[8:])
    bench.run("report", newer).expect(125, "newer was saved by a newer itrace", "update itrace", stdout="")
    older = bench.file("older", content[:7] + b"\x02" + content[8:])
    bench.run("report", older).expect(125, "older was saved by an older itrace", "record it again", stdout="")


def case_report_to_a_full_disk(bench):
    bench.run("record", "--no-calls", "--all", "-o", "run.itrace", bench.program("hello"))
    bench.run("report", "run.itrace", "-o", "/dev/full").expect(125, "/dev/full", "[Nn]o space", "instructions")
    bench.run("report", "run.itrace", "--region", "other").expect(125, "no region named 'other'", stdout="")
    bench.run("report", "run.itrace", "--tree").expect(125, "no call trees", "itrace record", stdout="")
    bench.run("--tree", "--no-calls", bench.program("hello")).expect(125, "--no-calls", stdout="")
    bench.run("report", "run.itrace", "--memory").expect(125, "no allocations", "record --memory", stdout="")
    bench.run("--share-allocator=cycles", bench.program("hello")).expect(
        125, "--share-allocator: expected bytes, got 'cycles'", stdout="")
    bench.run("--tree", "--charge-back", bench.program("hello")).expect(
        125, "--tree cannot be combined: .*--charge-back", stdout="")
    bench.run("report", "run.itrace", "--tree", "--compare").expect(125, "--compare .* does not work with call trees",
                                                                    stdout="")


IDLE = (  # Refused options and the message.
    ("report --tree --by line F", "--by is for the table, which --tree"),
    ("report --charge-back --by line --format csv F", "--by is for the table"),
    ("report --format html --by line F", "--by does nothing with this --format; use text, json or csv"),
    ("report --format folded --charge-back F", "--charge-back does nothing with this --format"),
    ("report --format html --memory F", "--memory does nothing with this --format"),
    ("report --format csv --top 3 F", "--top shortens the tables of --format text"),
    ("compare --format json --top 3 F", "--top shortens the tables of --format text"),
    ("annotate --format json --top 3 F", "--top shortens the tables of --format text"),
    ("annotate --format json --context 3 F", "--context is for --format text"),
    ("annotate --calls P", "'itrace annotate' has no option --calls; these have: 'itrace'"),
    ("annotate --memory F", "'itrace annotate' has no option --memory; these have: .*'itrace report'"),
    ("annotate --all F", "--all is for running a program, and .*run.itrace is a saved run"),
    ("annotate --timeout 3 F", "--timeout is for running a program"),
    ("report --share-allocator=bytes --charge-back F", "--share-allocator divides what --memory shows; use both"),
    ("report --user libc.so.6 F", "--user does nothing without --charge-back or --memory"),
    ("report --source-path . F", "--format html and 'itrace annotate'"),
    ("--repeat 2 --by function P", "--by does nothing with --repeat"),
    ("--repeat 2 --model zen4 P", "--model does nothing with --repeat"),
    ("--repeat 2 --trace=x P", "--trace does nothing with --repeat"),
    ("--repeat 2 --per-thread P", "--per-thread does nothing with --repeat"),
    ("block --csv F --timeline", "--timeline is for --format text and json"),
)

CONTRADICTIONS = (  # Refused wherever they are set.
    ("--start 0x1000 P", "--start needs --stop"),
    ("--tree --memory P", "--tree cannot be combined"),
    ("--compare --format folded P", "--compare compares tables"),
    ("--no-calls --format speedscope P", "--no-calls contradicts an option that needs call trees"),
    ("--repeat 2 -o x P", "--repeat .* does not work with -p, -f and -o"),
    ("-f --format html P", "--follow with this --format .* use -o with %p"),
    ("--every 2 --scopes P", "--every does not work with --scopes"),
    ("--no-aslr -p 1", "--no-aslr .* does not work with --pid"),
    ("block --object P", "--object needs --function"),
)

NOT_IDLE = (
    "report --format json --tree --by function F", "report --format csv --top 0 F", "report --format html --tree F",
    "report --memory --share-allocator=bytes --user libc.so.6 F", "annotate --format json --instructions F",
    "compare --by line --top 3 F", "--repeat 2 --top 3 --region all --all P",
)


def case_idle_options(bench):
    """An option without effect beside the others is refused, unless the environment sets it for all runs."""
    path = os.path.join(bench.folder, "run.itrace")
    words_to_sort = bench.file("words", "b\na\n")
    bench.run("record", "--function", "main", "--memory", "-o", path, bench.program("sort"), words_to_sort).expect(
        0, "saved")

    def words(line):
        return [{"F": path, "P": bench.program("hello")}.get(word, word) for word in line.split()]

    for line, said in IDLE:
        bench.run(*words(line)).expect(125, said, stdout="")
    for line in NOT_IDLE:
        bench.run(*words(line)).expect(0)
    for line, said in CONTRADICTIONS:
        bench.run(*words(line)).expect(125, said, stdout="")
    defaults = environment(ITRACE_BY="line", ITRACE_TOP="3", ITRACE_ALL="1")
    for command in (["report", "--tree", path], ["report", "--format", "csv", path], ["annotate", path]):
        done = subprocess.run([bench.itrace, *command], env=defaults, capture_output=True, text=True)
        if done.returncode != 0 or not done.stdout:
            raise Failure(f"{command}, with defaults in the environment: {done.stderr}")


def case_bad_values(bench):
    """Options of each kind, on the command line and in the environment."""
    hello = bench.program("hello")
    for option, said in (("--format=yaml",
                          "--format: expected text, json, csv, html, callgrind, folded or speedscope, got 'yaml'"),
                         ("--top=many", "--top: expected a whole number, got 'many'"),
                         ("--every=0", "--every: expected a whole number of at least 1, got '0'"),
                         ("--repeat=1", "--repeat: expected a whole number from 2 to 10,000, got '1'"),
                         ("--timeout=soon",
                          "--timeout: expected a time such as 250us, 1.5ms or 2 (seconds), got 'soon'"),
                         ("--pid=me", "--pid: expected a whole number from 1 to 2,147,483,647, got 'me'")):
        bench.run(option, hello).expect(125, re.escape(f"itrace: {said}\n"), stdout="")
        name, value = option[2:].split("=")
        variable = "ITRACE_" + name.upper()
        done = subprocess.run([bench.itrace, hello], env=environment(**{variable: value}), capture_output=True,
                              text=True)
        if done.returncode != 125 or done.stderr != f"itrace: {said}\n".replace(f"--{name}", variable):
            raise Failure(f"{variable}={value}: {done.stderr}")


def case_unknown_variable(bench):
    """A variable that sets no option causes a warning; a variable of another command does not."""
    settings = environment(ITRACE_FROB="1", ITRACE_FORMT="json", ITRACE_TOP="1", ITRACE_CONTEXT="3",
                           ITRACE_MODEL_PATH=os.environ.get("ITRACE_MODEL_PATH", ""))
    done = subprocess.run([bench.itrace, "--all", bench.program("hello")], env=settings, capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if "warning" in line]
    ignored = "itrace: warning: the environment sets %s, which is no option and is ignored"
    if done.returncode != 0 or said != [ignored % "ITRACE_FROB",
                                        ignored % "ITRACE_FORMT" + "; did you mean ITRACE_FORMAT?"]:
        raise Failure(f"{done.stderr}")


def case_color_of_the_terminal(bench):
    """Escape sequences are printed to a terminal that supports them."""
    bench.run("record", "--all", "-o", "run.itrace", bench.program("hello")).expect(0)
    for settings, has_escapes in (({"TERM": "xterm"}, True), ({"TERM": "dumb"}, False),
                                  ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        env = {name: value for name, value in environment().items() if name != "NO_COLOR"}
        with open(os.path.join(bench.folder, "shown"), "wb") as shown:
            child = subprocess.Popen([bench.itrace, "report", "run.itrace"], env={**env, **settings}, stdout=theirs,
                                     cwd=bench.folder)
            os.close(theirs)
            while True:
                try:
                    chunk = os.read(ours, 65536)
                except OSError:  # the child has closed the terminal
                    break
                if not chunk:
                    break
                shown.write(chunk)
        os.close(ours)
        child.wait(PATIENCE_S)
        with open(os.path.join(bench.folder, "shown"), "rb") as shown:
            text = shown.read()
        if b"instructions" not in text or (b"\x1b[" in text) != has_escapes:
            raise Failure(f"{settings}: {text!r}")


VIEWS = ((), ("--tree",), ("--charge-back",), ("--memory",), ("--compare",))
CHANGES = (("--by", "line"), ("--top", "1"), ("--tree",), ("--charge-back",), ("--memory",),
           ("--share-allocator=bytes",),
           ("--user", "libc.so.6"), ("--compare",), ("--per-thread",), ("--region", "all"), ("--model", "zen4"),
           ("--context", "0"), ("--own",), ("--file", "sort.[c-d]"),
           ("--instructions",))


def case_options_do_something(bench):
    """Each option of the report changes the report, beside any others, or is refused."""
    path = os.path.join(bench.folder, "run.itrace")
    words = bench.file("words", "b\na\n")
    bench.run("record", "--all", "--function", "main", "--memory", "--per-thread", "-o", path, bench.program("sort"),
              words).expect(0, "saved")
    n_compared = 0
    for command in ("report", "compare", "annotate"):
        for report_format in ("text", "json", "csv"):
            for view in VIEWS if command == "report" else [()]:
                said = [command, "--model", "skylake,vax8800", "--format", report_format, *view]
                without = bench.run(*said, path)
                for change in CHANGES if without.status == 0 else ():
                    done = bench.run(*said, *change, path)
                    # JSON always has all instructions.
                    is_there = change[0] in (*view, "--instructions") or change[0] == f"--{command}"
                    if done.status == 0 and done.stdout == without.stdout and not is_there:
                        raise Failure(f"{' '.join(change)} changes nothing in {' '.join(said)}")
                    n_compared += done.status == 0
    if n_compared < 50:
        raise Failure(f"only {n_compared} were compared")


# The program dies or is interrupted.

def case_death_seen_by_a_shell(bench):
    for program, status in (("die_segv", 139), ("die_abort", 134), ("die_kill", 137)):
        command = ["sh", "-c", '"$0" "$1" 2>report; echo $?', bench.itrace, bench.program(program)]
        done = subprocess.run(command, cwd=bench.folder, capture_output=True, text=True)
        with open(os.path.join(bench.folder, "report"), encoding="utf-8") as file:
            report = file.read()
        if done.stdout != f"{status}\n" or "dying" not in report:
            raise Failure(f"{program}: the shell saw {done.stdout!r}, expected {status}; the report: {report}")


def case_signal_is_named_once(bench):
    """itrace dies of the program's signal, which a shell reports as a crash of itrace."""
    for how in ([], ["-o", "report"], ["--region", "nothing"], ["--compare"], ["record"], ["annotate"], ["sample"]):
        done = bench.run(*how, bench.program("die_segv"))
        if done.status != -signal.SIGSEGV or done.stderr.count("the program was killed by SIGSEGV") != 1:
            raise Failure(f"{' '.join(how)}: ended with {done.status}: {done.stderr}")
    for how in (["--format", "json"], ["sample", "--format", "json"]):
        report = json.loads(bench.run(*how, bench.program("die_segv")).stderr)  # alone on standard error
        if report["program"]["signal"] != signal.SIGSEGV:
            raise Failure(f"{' '.join(how)}: {report['program']}")


def start_interrupted(bench, how, terminal=None):
    """Waits until the program is in its region."""
    process = bench.start("--format", "json", "-o", "report.json", bench.program("interrupted"), how, terminal=terminal)
    if process.stdout.readline() != b"inside\n":
        raise Failure(f"the program did not start: {bench.finish(process).stderr}")
    time.sleep(0.3)
    return process


def interrupt(bench, how):
    """^C at a terminal: both itrace and the program get SIGINT."""
    master, terminal = os.openpty()
    process = start_interrupted(bench, how, terminal)
    os.write(master, b"\x03")
    run = bench.finish(process)
    os.close(terminal)
    os.close(master)
    return run


def case_interrupt_ends_the_program(bench):
    run = interrupt(bench, "die")
    run.expect(-signal.SIGINT, stdout="")
    region = run.region("waiting")
    if region["instructions"] < 500 or region["visits_cut"] != 1:
        raise Failure(f"the report so far: {region['instructions']} instructions, {region['visits_cut']} visits cut")


def case_interrupt_is_handled(bench):
    run = interrupt(bench, "handle")
    run.expect(5, stdout="1 signals\n")
    if run.region("waiting")["visits_cut"] != 0:
        raise Failure("the program handled SIGINT and came to its end marker, but its visit was cut")


def case_interrupt_is_ignored(bench):
    interrupt(bench, "ignore").expect(0, stdout="0 signals\n")


def case_terminate_itrace(bench):
    """itrace alone gets SIGTERM: it passes it on and reports."""
    process = start_interrupted(bench, "die")
    process.terminate()
    run = bench.finish(process)
    run.expect(-signal.SIGTERM)
    run.region("waiting")


def is_alive(pid):
    """Returns False also for a zombie, which only waits for init."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def case_killed_itrace_leaves_nothing(bench):
    """The program dies with itrace: it neither runs on nor is left stopped."""
    process = start_interrupted(bench, "ignore")
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
        traced = [int(pid) for pid in file.read().split()]
    process.kill()
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and any(is_alive(pid) for pid in traced):
        time.sleep(0.01)
    left = [pid for pid in traced if is_alive(pid)]
    bench.finish(process)
    if not traced or left:
        raise Failure(f"traced {traced}, left over {left}")


if __name__ == "__main__":
    sys.exit(main(globals(), Bench))
