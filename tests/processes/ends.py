#!/usr/bin/env python3
"""Tests that SIGTERM and a second ^C end itrace within a second, whatever the program does: tests/programs/deaf.c

    ends.py --itrace ITRACE --programs FOLDER [CASE ...]
    ends.py --list
"""
import concurrent.futures
import fcntl
import os
import pty
import resource
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import Failure, expect, main, wait_for  # noqa: E402
from child import PATIENCE_S, environment  # noqa: E402

# A second, and what a loaded machine adds.
SOON_S = 4
WAYS = ((), ("--all", "--engine", "step"), ("--all", "--engine", "translate"), ("-f", "--all"),
        ("record", "--all", "-o", "%p.itrace"), ("sample",), ("sample", "--method", "stops"))


def start(bench, way, how, terminal=None):
    def in_child():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.setsid()
        if terminal is not None:
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    with open(bench.path(f"said-{'-'.join(way).replace('/', '-')}-{how}-{terminal}"), "wb") as said:
        process = subprocess.Popen([bench.itrace, *way, bench.program("deaf"), how], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=said, cwd=bench.folder, env=environment(),
                                   preexec_fn=in_child)
    process.said = said.name
    expect("the first line", process.stdout.readline(), b"ready\n")
    time.sleep(0.3)
    return process


def left_in_session(session):
    """Returns the processes of a session, without zombies."""
    left = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                left.append(pid)
        except OSError:
            pass
    return left


def expect_end(what, process, begin, outlives=False):
    """itrace ends soon, and the program too, unless it `outlives` itrace: it then runs on untraced."""
    try:
        process.wait(SOON_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        with open(process.said, encoding="utf-8", errors="replace") as file:
            raise Failure(f"{what}: still there after {time.monotonic() - begin:.1f} s: {file.read()}") from None
    finally:
        process.stdout.close()
    if process.returncode not in (-signal.SIGTERM, -signal.SIGINT, -signal.SIGKILL, 0, 125):
        raise Failure(f"{what}: ended with {process.returncode}")
    for pid in left_in_session(process.pid) if outlives else []:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            expect(f"{what}: its tracer", [line.split()[1] for line in file if line.startswith("TracerPid")], ["0"])
        os.kill(int(pid), signal.SIGKILL)
    wait_for(lambda: not left_in_session(process.pid), f"{what}: the program ends, too")


def terminate(bench, way, how, outlives=False):
    process = start(bench, way, how)
    begin = time.monotonic()
    process.terminate()
    expect_end(f"SIGTERM, {' '.join(way)} deaf {how}", process, begin, outlives)


def type_twice(bench, way, how, outlives=False):
    """^C at a terminal reaches itrace and the program."""
    master, terminal = pty.openpty()
    process = start(bench, way, how, terminal)
    os.write(master, b"\x03")
    time.sleep(1)  # two signals that come together are one
    begin = time.monotonic()
    os.write(master, b"\x03")
    expect_end(f"^C twice, {' '.join(way)} deaf {how}", process, begin, outlives)
    os.close(master)
    os.close(terminal)


def check_all(bench, how):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(end, bench, way, how) for end in (terminate, type_twice) for way in WAYS]:
            done.result()


def case_running(bench):
    check_all(bench, "run")


def case_ignoring(bench):
    check_all(bench, "ignore")


def case_handling(bench):
    check_all(bench, "handle")


def case_sleeping(bench):
    check_all(bench, "sleep")


def case_stopped(bench):
    check_all(bench, "stop")


def case_threads(bench):
    check_all(bench, "threads")


def case_family(bench):
    """With -f, itrace waits for the child that outlives its parent. It detaches from that child."""
    for end in (terminate, type_twice):
        end(bench, ("-f", "--all"), "family", outlives=True)


def case_trace_that_nobody_reads(bench):
    """itrace waits for room in the pipe."""
    ours, theirs = os.pipe()
    process = subprocess.Popen([bench.itrace, f"--trace=/dev/fd/{theirs}", bench.program("deaf"), "run"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               pass_fds=[theirs], start_new_session=True, env=environment())
    process.said = os.devnull
    os.close(theirs)
    expect("the first line", process.stdout.readline(), b"ready\n")
    time.sleep(0.5)
    begin = time.monotonic()
    process.terminate()
    expect_end("SIGTERM", process, begin)
    os.close(ours)


def case_untraced_program(bench):
    """itrace waits for a program that it has let go."""
    for how in ("ignore", "stop"):
        for end in (terminate, type_twice):
            end(bench, ("--timeout", "0.1", "-o", "/dev/null"), how)


def case_every_run(bench):
    """SIGTERM during a run of --repeat ends itrace, not that run only."""
    process = start(bench, ("--repeat", "5"), "run")
    begin = time.monotonic()
    process.terminate()
    expect_end("SIGTERM, --repeat", process, begin)


def case_report_of_what_ran(bench):
    """The program is killed first, so that there is a report."""
    for how in ("ignore", "stop"):
        process = start(bench, ("--all", "-o", "report"), how)
        process.terminate()
        expect("status", process.wait(PATIENCE_S), -signal.SIGKILL)
        process.stdout.close()
        with open(bench.path("report"), encoding="utf-8") as file:
            text = file.read()
        if "all: 1 visit" not in text or "did not end when it was told to" not in text:
            raise Failure(f"{how}: the report: {text}")


if __name__ == "__main__":
    sys.exit(main(globals()))
