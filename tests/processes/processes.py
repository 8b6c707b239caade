#!/usr/bin/env python3
"""Tests attaching and detaching, limits, and following forks.

    processes.py --itrace ITRACE --programs FOLDER [CASE ...]
    processes.py --list
"""
import fcntl
import os
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import (Failure, MODEL, Skipped, code_bytes, expect, expect_match, finish, main, region, state_of,
                   # noqa: E402
                   tracer_of, wait_for)
from child import PATIENCE_S, environment  # noqa: E402


def mappings(pid):
    with open(f"/proc/{pid}/maps", encoding="ascii") as file:
        return [line.split(None, 5)[1:] for line in file if "[heap]" not in line]


def attach(bench, process):
    """Attaches itrace to a process, and waits until the breakpoints that begin regions are set."""
    path = os.readlink(f"/proc/{process.pid}/exe")
    code = code_bytes(process.pid, path)
    itrace = subprocess.Popen(bench.itrace_command("-p", str(process.pid)), stderr=subprocess.PIPE, text=True)
    wait_for(lambda: code_bytes(process.pid, path) != code or itrace.poll() is not None, "it has breakpoints")
    return itrace


# Running programs.

def case_attach_and_let_go(bench):
    """With each engine: code and mappings are restored, and eight threads under signals detect no fault."""
    for options in (("--engine", "step"), ("--engine", "translate"), ("--all",), ("-f",)):
        storm = bench.storm("8")
        code, mapped = code_bytes(storm.pid, bench.storm_path), sorted(map(str, mappings(storm.pid)))
        report = bench.run_json("-p", str(storm.pid), "--timeout", "20", "--max-visits", "20", *options)
        reports = report if isinstance(report, list) else [report]
        work = [region(each, "work") for each in reports if each["program"]["argv"][0] == bench.storm_path]
        if not any(each["instructions"] for each in work):
            raise Failure(f"{options}: nothing was counted")
        expect("its tracer", tracer_of(storm.pid), "0")
        if code_bytes(storm.pid, bench.storm_path) != code:
            raise Failure(f"{options}: the code is not as it was")
        expect(f"{options}: new mappings", [line for line in map(str, mappings(storm.pid)) if line not in mapped], [])
        expect_match(f"{options}: the storm", finish(storm), "^storm: 0 wrong; [1-9]")


def case_attach_again_and_again(bench):
    storm = bench.storm("4")
    for _ in range(12):
        bench.run("-p", str(storm.pid), "--max-visits", "3")
    expect_match("the storm", finish(storm), "^storm: 0 wrong; [1-9]")


def case_let_go_amid_forks(bench):
    """A child forked while itrace detaches from its parent has no breakpoint. The parent may be waiting in
    posix_spawn."""
    spawns = bench.start(bench.program("spawns"))
    for _ in range(40):
        bench.run("-p", str(spawns.pid), "--max-visits", "3", "-o", "/dev/null")
    expect_match("the children", finish(spawns), "^spawns: 0 wrong of [1-9]")


def case_attach_in_system_calls(bench):
    """Blocking calls still return their results, and time goes on."""
    for options in ((), ("--all",), ("--all", "--engine", "translate"), ("--all", "--engine", "step")):
        waits = bench.start(bench.program("waits"), "both")
        bench.run("-p", str(waits.pid), "--timeout", "0.2", *options, status=0 if options else 125)
        bench.run("-p", str(waits.pid), "--timeout", "0.2", *options, status=0 if options else 125)
        out = finish(waits, "a line\n")
        expect_match(f"{options}: the line", out, r"^read 7: a line$|\nread 7: a line\n|^read 7: a line\n")
        expect_match(f"{options}: the sleep of a second", out, r"slept 0: [1-9]\d+\n")


def case_attach_to_a_stopped_program(bench):
    """A stopped process stays stopped, also if it stopped after itrace attached, and continues on SIGCONT."""
    for when in ("before", "while"):
        waits = bench.start(bench.program("waits"), "stop")
        if when == "before":
            waits.send_signal(signal.SIGSTOP)
            wait_for(lambda: state_of(waits.pid) == "T", "it stops")
        itrace = subprocess.Popen(bench.itrace_command("-p", str(waits.pid), "--all", "--timeout", "0.6"),
                                  stderr=subprocess.PIPE, text=True)
        wait_for(lambda: tracer_of(waits.pid) != "0", "it is traced")
        if when == "while":
            time.sleep(0.1)
            waits.send_signal(signal.SIGSTOP)
        said = itrace.communicate(timeout=PATIENCE_S)[1]
        expect(f"stopped {when}: itrace: {said}", itrace.returncode, 0)
        # Linux wakes it to make it stop again.
        wait_for(lambda: state_of(waits.pid) == "T", f"stopped {when}: it is stopped when let go")
        waits.send_signal(signal.SIGCONT)
        expect("what it prints", finish(waits), "counted on\n")


def case_continue_under_itrace(bench):
    """SIGSTOP and SIGCONT while the process is traced."""
    waits = bench.start(bench.program("waits"), "stop")
    itrace = subprocess.Popen(bench.itrace_command("-p", str(waits.pid), "--max-visits", "200"),
                              stderr=subprocess.PIPE, text=True)
    wait_for(lambda: tracer_of(waits.pid) != "0", "it is traced")
    for _ in range(5):
        waits.send_signal(signal.SIGSTOP)
        wait_for(lambda: state_of(waits.pid) in "Tt", "it stops")
        time.sleep(0.02)
        waits.send_signal(signal.SIGCONT)
        time.sleep(0.02)
    said = itrace.communicate(timeout=PATIENCE_S)[1]
    expect_match("itrace", said, "count: 200 visits")
    expect("what it prints", finish(waits), "counted on\n")


def case_end_under_itrace(bench):
    """itrace reports the program's end and ends with it; the program's parent gets the status."""
    waits = bench.start(bench.program("waits"), "stop")
    itrace = attach(bench, waits)
    time.sleep(0.2)
    waits.send_signal(signal.SIGKILL)
    said = itrace.communicate(timeout=PATIENCE_S)[1]
    expect(f"itrace: {said}", itrace.returncode, 0)
    expect_match("itrace", said, "killed by SIGKILL")
    expect("its parent's status", waits.wait(), -signal.SIGKILL)


def case_interrupt_lets_go(bench):
    for number in (signal.SIGINT, signal.SIGTERM):
        waits = bench.start(bench.program("waits"), "stop")
        itrace = attach(bench, waits)
        time.sleep(0.3)
        itrace.send_signal(number)
        said = itrace.communicate(timeout=PATIENCE_S)[1]
        expect(f"itrace: {said}", itrace.returncode, 0)
        expect_match("itrace", said, "count: .* visits")
        expect_match("itrace", said, "tracing stopped when itrace was told to stop; the program ran on untraced")
        expect("what it prints", finish(waits), "counted on\n")


def case_attach_refused(bench):
    waits = bench.start(bench.program("waits"), "both")
    wait_for(lambda: len(os.listdir(f"/proc/{waits.pid}/task")) == 2, "it has a thread")
    other = next(tid for tid in os.listdir(f"/proc/{waits.pid}/task") if tid != str(waits.pid))
    ended = subprocess.Popen(["/bin/true"])
    wait_for(lambda: state_of(ended.pid) == "Z", "a zombie")
    for pid, said in (("0", "--pid: expected a whole number from 1 "), ("x", "--pid: expected a whole number from 1 "),
                      ("2147483647", "there is no process"),
                      (other, f"a thread of process {waits.pid}"), (str(ended.pid), "has ended")):
        done = bench.run("-p", pid, "--timeout", "1", status=125)
        expect_match(f"-p {pid}", done.stderr, said)
    ended.wait()
    done = bench.run("-p", str(waits.pid), "true", status=125)
    expect_match("-p with a program", done.stderr, "would not be run")
    first = subprocess.Popen(bench.itrace_command("-p", str(waits.pid), "--all"), stderr=subprocess.PIPE)
    wait_for(lambda: tracer_of(waits.pid) != "0", "it is traced")
    done = bench.run("-p", str(waits.pid), status=125)
    expect_match("traced already", done.stderr, r"process \d+ traces it already")
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=PATIENCE_S)
    expect_match("the program", finish(waits, "a line\n"), "read 7: a line")


def case_attach_to_the_kernel(bench):
    kernel = next((pid for pid in os.listdir("/proc") if pid.isdigit() and is_of_kernel(pid)), None)
    if not kernel:
        raise Skipped("no thread of the kernel is to be seen")
    expect_match("a kernel thread", bench.run("-p", kernel, status=125).stderr, "thread of the kernel")


def is_of_kernel(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[6]) & 0x00200000 != 0
    except OSError:
        return False


def case_many_short_visits(bench):
    """Visits that are short each, but not together, are translated."""
    report = bench.run_json(bench.program("shares"), "four")
    expect("visits", region(report, "counted")["visits"], 16)
    expect("instructions", region(report, "counted")["instructions"], 930)
    expect("the engine", report["engine"], "translate")


# Limits.

def case_limits_of_visits(bench):
    report = bench.run_json("--max-visits", "3", bench.program("visits"), status=bench_status(bench, "visits"))
    total = sum(each["visits"] for each in report["regions"] if each["signal_handlers_of"] is None)
    expect("visits", total, 3)
    expect_match("notes", " ".join(report["notes"]), "^tracing stopped after 3 visits; the program ran on untraced$")
    expect("its exit status in the report, which did not wait", report["program"]["exit_status"], None)


def bench_status(bench, name):
    return subprocess.run([bench.program(name)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def case_limit_of_instructions_is_exact_when_stepped(bench):
    report = bench.run_json("--all", "--engine", "step", "--max-instructions", "1234", "/bin/echo", "hello")
    expect("instructions", region(report, "all")["instructions"], 1234)


def case_limit_of_instructions_when_translated(bench):
    waits = bench.start(bench.program("waits"), "stop")
    report = bench.run_json("-p", str(waits.pid), "--all", "--engine", "translate", "--max-instructions", "500")
    expect("instructions, as few as that", region(report, "all")["instructions"], 500)
    expect("what it prints", finish(waits), "counted on\n")
    endless = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    try:
        report = bench.run_json("-p", str(endless.pid), "--all", "--engine", "translate", "--max-instructions",
                                "1000000")
        # The extra instructions of a second are allowed, because the machine may be busy.
        if not 1000000 <= region(report, "all")["instructions"] < 2e9:
            raise Failure(f"{region(report, 'all')['instructions']} instructions")
    finally:
        endless.kill()
        endless.wait()


def case_timeout_of_a_launched_program(bench):
    """The program runs on to its end, and its status is itrace's."""
    begin = time.monotonic()
    done = bench.run("--all", "--timeout", "0.3", "sh", "-c", "sleep 1; echo end; exit 5", status=5)
    expect("its output", done.stdout, "end\n")
    expect("the report says so once", re.findall(r".*tracing stopped.*", done.stderr),
           ["tracing stopped after 0.3 s; the program ran on untraced"])
    if time.monotonic() - begin < 1:
        raise Failure("it did not run to its end")


def case_interrupt_after_the_program(bench):
    """The program has ended, and a process that it started goes on: a signal ends itrace, not that process."""
    itrace = bench.start(*bench.itrace_command("-f", "--all", "-o", "report", "sh", "-c",
                                               "echo ready; exec >&-; sleep 30 & echo $! >pid"))
    wait_for(lambda: os.path.exists(bench.path("pid")) and open(bench.path("pid"), encoding="ascii").read().strip(),
             "it has started a process")
    with open(bench.path("pid"), encoding="ascii") as file:
        left = int(file.read())
    wait_for(lambda: tracer_of(left) == str(itrace.pid) and state_of(left) == "S", "the process sleeps")
    time.sleep(0.2)
    itrace.send_signal(signal.SIGTERM)
    try:
        expect("its status", itrace.wait(timeout=PATIENCE_S), 0)
        expect("the tracer of the process", tracer_of(left), "0")
        wait_for(lambda: state_of(left) == "S", "the process sleeps again")
    finally:
        os.kill(left, signal.SIGKILL)


def case_stall(bench):
    """Itrace holds the thread that another one waits for: it notices, and lets the program go."""
    alone = subprocess.run([bench.program("stalls")], capture_output=True, text=True, timeout=PATIENCE_S)
    if alone.returncode:
        raise Skipped("no userfaultfd here")
    done = bench.run("--engine", "step", "--function", "first_byte", bench.program("stalls"))
    expect("its output", done.stdout, alone.stdout)
    expect_match("the report", done.stderr, "the program stalled: thread [0-9]+ waited for itrace")
    expect_match("the report", done.stderr, "tracing stopped because it had stalled; the program ran on untraced")


def case_timeout_then_signal(bench):
    bench.run("--all", "--timeout", "0.2", "sh", "-c", "sleep 0.5; kill -USR1 $$", status=-signal.SIGUSR1)


def case_every(bench):
    """Every Nth visit is counted. Calls inside a skipped visit belong to it."""
    waits = bench.start(bench.program("waits"), "stop")
    report = bench.run_json("-p", str(waits.pid), "--every", "5", "--max-visits", "6")
    expect("visits", region(report, "count")["visits"], 6)
    expect("instructions", region(report, "count")["instructions"], 6 * one_visit(bench, waits))
    expect_match("the notes", " ".join(report["notes"]), "count: one visit in 5 is counted, 6 of (26|27|28|29|30)")
    expect("what it prints", finish(waits), "counted on\n")
    # recursion.S: factorial is called twice, 40 instructions each time; 5 calls make 5 RETs.
    for engine in ("step", "translate"):
        report = bench.run_json("--engine", engine, "--function", "factorial", "--every", "2",
                                bench.program("recursion"))
        expect(f"{engine}: visits", region(report, "factorial")["visits"], 1)
        expect(f"{engine}: instructions", region(report, "factorial")["instructions"], 40)
        expect_match(f"{engine}: notes", " ".join(report["notes"]), "factorial: one visit in 2 is counted, 1 of 2")
    done = bench.run("--every", "2", "--scopes", "true", status=125)
    expect_match("scopes", done.stderr, "--every does not work with --scopes")


def one_visit(bench, waits):
    return region(bench.run_json("-p", str(waits.pid), "--max-visits", "1"), "count")["instructions"]


def case_every_with_markers_in_threads(bench):
    storm = bench.storm("4")
    report = bench.run_json("-p", str(storm.pid), "--every", "7", "--max-visits", "20")
    if region(report, "work")["visits"] < 20:
        raise Failure(f"{region(report, 'work')['visits']} visits")
    expect_match("the storm", finish(storm), "^storm: 0 wrong; [1-9]")


def case_repeat(bench):
    """Regions with equal counts in each run, and regions that depend on addresses or time."""
    done = bench.run("--repeat", "3", bench.program("visits"), status=bench_status(bench, "visits"))
    expect_match("visits", done.stderr, r"[1-9]\d* instructions in each of 3 runs\n")
    if "differ" in done.stderr:
        raise Failure(f"the same program differs: {done.stderr}")
    sh = "i=0; while [ $i -lt $(($(date +%N | sed s/^0*//) % 97)) ]; do i=$((i+1)); done"
    done = bench.run("--repeat", "4", "--all", "sh", "-c", sh)
    expect_match("the time", done.stderr, r"all: differs: [\d,]+ to [\d,]+ instructions")
    expect_match("the cause", done.stderr, "two runs with --no-aslr (agree|differ, too.*\n"
                 "possible causes in these regions: "
                 r".*what is read or waited for \(.*\bread\b)")
    done = bench.run("--repeat", "4", "--no-aslr", "--all", "--top", "1", "sh", "-c", sh)
    expect_match("one function", done.stderr, r"all: differs: .*\n  \w.*\n  [\d,]+ more functions differ "
                 r"\(--top 0 for all\)\npossible causes")
    done = bench.run("--repeat", "3", "--all", "sh", "-c", "kill -SEGV $$", status=-signal.SIGSEGV)
    expect_match("a program that crashes", done.stderr,
                 r"itrace: signal 11 \(Segmentation fault\) ended run 1 of 3, so there is nothing to compare\n")
    expect_match("--repeat 1", bench.run("--repeat", "1", "true", status=125).stderr, "2 to 10,000")
    expect_match("--repeat -f", bench.run("--repeat", "2", "-f", "true", status=125).stderr,
                 "does not work with -p, -f")


def case_bad_limits(bench):
    for option, value in (("--max-visits", "0"), ("--max-visits", "-1"), ("--max-instructions", "many"),
                          ("--timeout", "0"),
                          ("--timeout", "soon"), ("--timeout", "1e99")):
        expect_match(option, bench.run(option, value, "true", status=125).stderr, re.escape(option))


# itrace itself.

def peak_kb(bench, n_visits):
    """Returns the memory of itrace for this number of visits."""
    waits = bench.start(bench.program("waits"), "stop")
    done = bench.run("-p", str(waits.pid), "--max-visits", str(n_visits), "-o", "/dev/null",
                     wrapper=["/usr/bin/time", "-f", "%M KB"])
    finish(waits)
    return int(re.search(r"(\d+) KB", done.stderr)[1])


def case_memory_does_not_grow(bench):
    if not os.path.exists("/usr/bin/time"):
        raise Skipped("no /usr/bin/time")
    # A table may get a huge page of 2 MiB in one run and not in the other. 1 KiB for each visit would be 4 MB more.
    few, many = peak_kb(bench, 1000), peak_kb(bench, 5000)
    if many > few + 3072:
        raise Failure(f"{few} KB for 1,000 visits, {many} KB for 5,000")


def case_memcheck(bench):
    """itrace under Valgrind has no errors and no leaks."""
    valgrind = shutil.which("valgrind")
    if not valgrind:
        raise Skipped("no valgrind")
    check = [valgrind, "-q", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=definite,indirect"]
    for arguments in ((bench.program("visits"),), ("-f", "--all", "sh", "-c", "/bin/true; /bin/true")):
        said = bench.run(*arguments, wrapper=check, status=None).stderr
        if "==" in said:
            raise Failure(f"{arguments}: {said}")


def case_32_bit_programs(bench):
    """Such a program is refused, launched or running, and is not disturbed."""
    source = bench.path("loop.c")
    with open(source, "w", encoding="ascii") as file:
        file.write("#include <unistd.h>\n"
                   "int main(void) { write(1, \"ready\\n\", 6); return read(0, &(char){0}, 1); }\n")
    if subprocess.run(["gcc", "-m32", "-o", bench.path("loop"), source], capture_output=True).returncode:
        raise Skipped("gcc -m32 does not work")
    expect_match("launched", bench.run("--all", bench.path("loop"), status=125).stderr, "a 32-bit x86 program")
    loop = bench.start(bench.path("loop"))
    expect_match("attached", bench.run("-p", str(loop.pid), "--all", status=125).stderr, "a 32-bit x86 program")
    finish(loop)


# Followed processes.

def case_follow_a_pipeline(bench):
    script = "seq 100 | grep 7 | wc -l; exit 3"
    reports = bench.run_json("-f", "--all", "sh", "-c", script, status=3)
    expect("the programs", sorted(each["program"]["argv"][0] for each in reports), ["grep", "seq", "sh", "wc"])
    expect("the last one", reports[-1]["program"]["argv"], ["sh", "-c", script])
    for each in reports:
        if region(each, "all")["instructions"] < 1000:
            raise Failure(f"{each['program']['argv']}: {region(each, 'all')['instructions']} instructions")
    expect("the number of process IDs", len({each["program"]["pid"] for each in reports}), 4)
    saved = bench.run("record", "-f", "--all", "-o", "run-%p.itrace", "sh", "-c", script, status=3).stderr
    programs = re.findall(r"itrace: saved (\w+); 'itrace report run-\d+\.itrace' shows it", saved)
    expect("the saved programs", sorted(programs), ["grep", "seq", "sh", "wc"])


def case_follow_children(bench):
    """The counts are those in children.c: counted() has 15 instructions."""
    for how in ("fork", "vfork", "posix_spawn", "system"):
        reports = bench.run_json("-f", bench.program("children"), how)
        parent = next(each for each in reports if each["program"]["argv"][0].endswith("children") and
                      any(one["name"] == "parent" for one in each["regions"]) and each is reports[-1])
        expect(f"{how}: counted by the parent", region(parent, "counted")["instructions"], 15)
        if how != "fork":
            continue
        expect("processes", len(reports), 2)
        expect("counted by the child", region(reports[0], "counted")["instructions"], 15)
        expect("visits of the child to the region that it was born in", region(reports[0], "parent")["visits"], 1)
        expect("its exit status", reports[0]["program"]["exit_status"], 7)


def case_follow_engines_agree(bench):
    """Both engines count the same instructions."""
    counted = []
    for engine in ("step", "translate"):
        reports = bench.run_json("-f", "--all", "--no-aslr", "--engine", engine, "sh", "-c", "/bin/true; /bin/true")
        counted.append([region(each, "all")["instructions"] for each in reports
                        if each["program"]["argv"][0] == "/bin/true"])
    expect("instructions of /bin/true, translated", counted[1], counted[0])
    expect("processes", len(counted[0]), 2)


def case_follow_known_programs(bench):
    """A process takes over the code of an earlier one that ran the same program at other addresses, and counts the same
    as if it was stepped."""
    script = "for i in 1 2 3 4; do /bin/true; (exit 3); done"
    reports = bench.run_json("-f", "--all", "--engine", "translate", "sh", "-c", script, status=3)
    stepped = bench.run_json("-f", "--all", "--engine", "step", "/bin/true")
    counted = [region(each, "all")["instructions"] for each in reports if each["program"]["argv"][0] == "/bin/true"]
    expect("instructions of /bin/true", counted, [region(stepped[-1], "all")["instructions"]] * 4)
    forked = [region(each, "all")["instructions"] for each in reports[:-1] if each["program"]["argv"][0] == "sh"]
    expect("instructions of the subshells", forked, forked[:1] * 4)
    fixed = bench.run_json("-f", "--all", "--no-aslr", "--engine", "step", "sh", "-c", script, status=3)
    expect("instructions of the subshells, stepped", forked,
           [region(each, "all")["instructions"] for each in fixed[:-1] if each["program"]["argv"][0] == "sh"])


def case_follow_call_trees(bench):
    """Each process has its own tree. The tree of a forked process begins at the fork."""
    for engine in ("step", "translate"):
        reports = bench.run_json("-f", "--all", "--no-aslr", "--tree", "--engine", engine, "sh", "-c",
                                 "/bin/true; /bin/true")
        expect(f"{engine}: processes", len(reports), 3)
        for each in reports:
            for one in each["regions"]:
                roots = [node for node in one["call_tree"] if node["parent"] is None]
                expect(f"{engine}: {each['program']['argv'][0]}: instructions below the roots",
                       sum(node["instructions"] for node in roots), one["instructions"])
        first, second = (region(each, "all")["call_tree"] for each in reports
                         if each["program"]["argv"][0] == "/bin/true")
        expect(f"{engine}: the tree of the same program", second, first)
    forked = bench.run_json("-f", "--tree", bench.program("children"), "fork")[0]
    expect("calls of counted in the child", [node["function"] for node in region(forked, "counted")["call_tree"]],
           ["counted"])
    names = {node["function"] for node in region(forked, "parent")["call_tree"]}
    if not {"main", "counted"} <= names:
        raise Failure(f"the child's tree: {names}")


def case_follow_pipelines(bench):
    """Paths, predictors and caches are separate for each process."""
    said = bench.run("-f", "--all", "--caches=skylake", "--model", "skylake", "--top", "1", "sh", "-c",
                     "seq 9 | grep 7").stderr
    expect("simulated processes", len(re.findall(r"^process \d+: .*?\npipeline on skylake: [^\n]*loads from L2 [\d,]+",
                                                 said,
                                                 re.M | re.S)), 3)


def case_follow_call_trees_for_other_tools(bench):
    for format in ("html", "callgrind", "folded", "speedscope"):
        expect_match(format, bench.run("-f", "--all", "--format", format, "-o", "one", "true", status=125).stderr, "%p")
        bench.run("-f", "--all", "--format", format, "-o", f"%p.{format}", "sh", "-c", "/bin/true; /bin/true")
        files = [name for name in os.listdir(bench.folder) if name.endswith("." + format)]
        expect(f"files of {format}", len(files), 3)
        for name in files:
            if not os.path.getsize(bench.path(name)):
                raise Failure(f"{name} is empty")


def case_follow_files(bench):
    bench.run("-f", "--all", "-o", "report-%p.txt", "sh", "-c", "/bin/true; /bin/true")
    names = os.listdir(bench.folder)
    expect("files", len([name for name in names if re.fullmatch(r"report-\d+\.txt", name)]), 3)
    bench.run("record", "-f", "--all", "-o", "%p.itrace", "sh", "-c", "/bin/true; /bin/true")
    saved = [name for name in os.listdir(bench.folder) if name.endswith(".itrace")]
    expect("saved files", len(saved), 3)
    for name in saved:
        expect_match(name, bench.run("report", name).stdout, "all: 1 visit")
    expect_match("record -f -o", bench.run("record", "-f", "--all", "-o", "one", "true", status=125).stderr, "%p")
    bench.run("-f", "--all", "--format", "csv", "-o", "table.csv", "sh", "-c", "/bin/true")
    with open(bench.path("table.csv"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    expect("the header", lines[0].split(",")[:3], ["process", "region", "form"])
    expect("header lines", sum(line.startswith("process,") for line in lines), 1)
    expect("processes in the table", len({line.split(",")[0] for line in lines[1:]}), 2)


def case_follow_the_text(bench):
    said = bench.run("-f", "--all", "sh", "-c", "/bin/true; /bin/true").stderr
    expect("headings", len(re.findall(r"^process \d+: ", said, re.M)), 3)
    expect_match("the sums", said, r"\nall in 3 processes: 3 visits, [\d,]+ instructions\n$")


def case_follow_many(bench):
    """Processes come and go: their threads, files and memory are released."""
    report = bench.run_json("-f", "--all", "sh", "-c", "i=0; while [ $i -lt 40 ]; do (:) ; i=$((i+1)); done",
                            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32)))
    expect("processes", len(report), 41)
    expect("what was not followed", [note for each in report for note in each["notes"]], [])


def case_follow_replaced_programs(bench):
    """A program that replaced another one in its file, as builds do, has its own functions."""
    script = "cp $0 program; ./program; cp $1 new; mv new program; ./program"
    programs = [bench.program(name) for name in ("pairs", "marked_function")]
    reports = bench.run_json("-f", "--all", "--by", "function", "sh", "-c", script, *programs)
    found = [sorted(group["name"] for group in region(each, "all")["groups"])
             for each in reports if each["program"]["argv"][0] == "./program"]
    expect("functions", found, [["_start"], ["_start", "marked"]])


def case_not_followed(bench):
    report = bench.run_json("--all", "sh", "-c", "/bin/true; /bin/true")
    expect("the notes", report["notes"], ["2 child processes ran on untraced"])


def case_inner_tracers(bench):
    """The report says why debuggers and LeakSanitizer fail, and what to set."""
    report = bench.run_json("--all", bench.program("inner_tracer"))
    expect_match("the notes", " ".join(report["notes"]), r"^ptrace\(2\) failed in the program: .* does not trace$")
    report = bench.run_json("-f", "--all", bench.program("inner_tracer"))
    expect_match("the notes", " ".join((report[0] if isinstance(report, list) else report)["notes"]), "leave out -f$")
    report = bench.run_json("--all", bench.program("inner_tracer"), "leaks", status=23)
    expect_match("the notes", " ".join(report["notes"]), r"^LeakSanitizer fails .* ASAN_OPTIONS=detect_leaks=0")


def case_follow_storm(bench):
    """All threads and children of storm, launched by itrace."""
    itrace = subprocess.Popen(bench.itrace_command("-f", "--max-visits", "400", bench.storm_path, "4"),
                              stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect("its first line", itrace.stdout.readline(), "ready\n")
    time.sleep(1)
    out, said = itrace.communicate(timeout=PATIENCE_S)
    expect(f"itrace: {said}", itrace.returncode, 0)
    expect_match("the storm", out, "^storm: 0 wrong; [1-9]")


# Job control at a terminal.

class Terminal:
    """A shell on its own terminal."""

    def __init__(self, folder):
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))

        def in_child():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        shell_environment = environment(PS1="$ ", TERM="dumb", LC_ALL="C", HISTFILE="")
        self.shell = subprocess.Popen(["bash", "--norc", "--noediting", "-i"], stdin=slave, stdout=slave, stderr=slave,
                                      cwd=folder, preexec_fn=in_child, env=shell_environment)
        os.close(slave)
        self.text = ""

    def send(self, text):
        os.write(self.master, text.encode())

    def wait_for(self, pattern):
        """Reads until this text appears, and discards the output up to it."""
        deadline = time.monotonic() + PATIENCE_S
        while not (found := re.search(pattern, self.text)):
            if time.monotonic() > deadline or not select.select([self.master], [], [],
                                                                1)[0] and self.shell.poll() is not None:
                raise Failure(f"the terminal did not show '{pattern}': {self.text!r}")
            if select.select([self.master], [], [], 0.2)[0]:
                self.text += os.read(self.master, 4096).decode(errors="replace")
        self.text = self.text[found.end():]
        return found

    def resume(self, shown):
        """Continues a stopped program in the foreground, where ^Z reaches it. The shell prints the command first."""
        self.send("fg\n")
        self.wait_for(shown)
        wait_for(lambda: os.tcgetpgrp(self.master) != self.shell.pid and state_of(os.tcgetpgrp(self.master)) != "T",
                 "it goes on")
        time.sleep(0.2)

    def interrupt(self):
        """^C ends the loop of these cases, which prints a message and has a status that the shell sees."""
        self.send("\x03")
        self.wait_for("got")
        self.wait_for(r"\$ ")
        self.send("echo status $?.\n")
        expect("the status", self.wait_for(r"status (\d+)\.")[1], "4")

    def close(self):
        os.close(self.master)
        self.shell.kill()
        self.shell.wait()


def case_isa_level(bench):
    """--isa makes the C library choose functions of a level, and keeps the user's own tunables."""
    done = bench.run("--isa", "x86-64-v3", "--all", "env", wrapper=("env", "GLIBC_TUNABLES=glibc.malloc.perturb=1"))
    expect_match("the program's environment", done.stdout,
                 r"(?m)^GLIBC_TUNABLES=glibc\.malloc\.perturb=1:glibc\.cpu\.hwcaps=-AVX512F,\S*-AVX512DQ$")
    for level, beyond in (("x86-64-v4", ()), ("x86-64-v3", ("avx512",)), ("x86-64-v2", ("avx", "fma", "bmi")),
                          ("x86-64", ("avx", "fma", "bmi", "sse4", "ssse3"))):
        forms = region(bench.run_json("--isa", level, "--all", "env"), "all")["forms"]
        found = [form["form"] for form in forms if form["isa_extension"].startswith(beyond)]
        if beyond:
            expect(f"{level}: instructions beyond", found, [])
    bench.run("--isa", "x86-64-v9", "--all", "env", status=125)


def case_ascii_without_utf8(bench):
    """A locale without UTF-8 gets plain ASCII: the sign of an approximate ratio becomes "~="."""
    for locale, sign in (("C", "~="), ("C.UTF-8", "\u2248")):
        done = bench.run("--model", "skylake,zen4,vax8800", "--isa", "x86-64-v3", "--region", "deflate",
                         bench.program("deflate"), bench.program("deflate"), wrapper=("env", f"LC_ALL={locale}"))
        expect_match(f"{locale}: the ratio", done.stderr, rf"(?m){sign}\d\S*x  ratio to skylake$")
        expect(f"{locale}: ASCII", done.stderr.isascii(), locale == "C")


def case_job_control(bench):
    """^Z stops the program and itrace with it; fg continues both; ^C ends them."""
    terminal = Terminal(bench.folder)
    try:
        terminal.wait_for(r"\$ ")
        terminal.send(f"{bench.itrace} --model {MODEL} --region nothing --all "
                      f"sh -c 'trap \"echo got; exit 4\" INT; echo up; "
                      "while :; do sleep 0.05; done'\n")
        terminal.wait_for("up\r\n")
        for _ in range(3):
            terminal.send("\x1a")
            terminal.wait_for("Stopped")
            terminal.wait_for(r"\$ ")
            terminal.resume("sleep 0.05")
        terminal.interrupt()
    finally:
        terminal.close()


def case_job_control_of_an_attached_program(bench):
    """^Z and fg work as without itrace, which runs elsewhere and then detaches from the stopped program."""
    loop = "trap \"echo got; exit 4\" INT; echo is $$.; while :; do sleep 0.05; done"
    terminal = Terminal(bench.folder)
    try:
        terminal.wait_for(r"\$ ")
        terminal.send(f"sh -c '{loop}'\n")
        pid = terminal.wait_for(r"is (\d+)\.")[1]
        for engine in ("step", "translate"):
            itrace = subprocess.Popen(bench.itrace_command("-p", pid, "--all", "--engine", engine),
                                      stderr=subprocess.PIPE, text=True)
            wait_for(lambda: tracer_of(pid) != "0", "it is traced")
            for i in range(3):
                time.sleep(0.1)
                terminal.send("\x1a")
                terminal.wait_for("Stopped")
                terminal.wait_for(r"\$ ")
                expect("its state", state_of(pid) in "tT", True)
                if i < 2:
                    terminal.resume("sleep 0.05")
            itrace.send_signal(signal.SIGINT)
            said = itrace.communicate(timeout=PATIENCE_S)[1]
            expect_match(f"{engine}: itrace", said, "all: . visit")
            wait_for(lambda: state_of(pid) == "T", f"{engine}: it is stopped when let go")
            terminal.resume("sleep 0.05")
        terminal.interrupt()
    finally:
        terminal.close()


if __name__ == "__main__":
    sys.exit(main(globals()))
