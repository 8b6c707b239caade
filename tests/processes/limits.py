#!/usr/bin/env python3
"""Tests restrictions by the kernel or the administrator: privileges, ptrace, memory, files.

    limits.py --itrace ITRACE --programs FOLDER [CASE ...]
    limits.py --list

Each function case_NAME is one case. Cases that need root are skipped without it.
"""
import ctypes
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from cases import Failure, MODEL, Skipped, expect, expect_match, finish, main
from child import PATIENCE_S, run_well

NOBODY = 65534
CAP_SYS_ADMIN = 21
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")


def need(*programs):
    for name in programs:
        if not shutil.which(name):
            raise Skipped(f"no {name}")


def let_nobody_in(bench):
    """Puts the files that an unprivileged user needs into the folder, because the tree may be unreadable to that
    user."""
    if os.geteuid():
        raise Skipped("only root can run programs as somebody else")
    need("setpriv")
    os.chmod(bench.folder, 0o755)
    for path in (bench.itrace, MODEL, bench.program("identity")):
        shutil.copy(path, bench.folder)
        os.chmod(bench.path(os.path.basename(path)), 0o755)
    bench.itrace, bench.model = bench.path("itrace"), bench.path("toy.cost")


def privileged(bench, name, mode=0o755, capability=None):
    """A copy of identity with file capabilities."""
    path = bench.path(name)
    shutil.copy(bench.program("identity"), path)
    os.chown(path, 0, 0)
    os.chmod(path, mode)
    if capability is not None:
        # capabilities(7), linux/capability.h: VFS_CAP_REVISION_2, effective
        data = struct.pack("<IIIII", 0x02000001, 1 << capability, 0, 0, 0)
        try:
            os.setxattr(path, "security.capability", data)
        except OSError as error:
            raise Skipped(f"no file capabilities here: {error}") from error
    return path


def need_privileges(bench, path, natively):
    """Skips on file systems that are mounted without file capabilities."""
    alone = subprocess.run([*AS_NOBODY, path], capture_output=True, text=True, cwd=bench.folder)
    if not re.search(natively, alone.stdout):
        raise Skipped(f"such a file gives no privileges here: {alone.stdout}{alone.stderr}")


# Memory.

def case_never_writable_and_executable(bench):
    """Simulates kernels that forbid writable and executable memory, both for the code cache and in itrace, which writes
    it."""
    # The program itself does not see the cache; another process does.
    show = "cat /proc/$$/maps /proc/$PPID/maps; :"
    done = bench.run("--all", "--engine", "translate", "-o", "report", "sh", "-c", show)
    maps = [line.split() for line in done.stdout.splitlines()]
    for flags in ("r-xs", "rw-s"):
        if not any(fields[1] == flags and fields[-2:] == ["/memfd:", "(deleted)"] for fields in maps):
            raise Failure(f"no {flags} part of the cache of code in {done.stdout}")
    for fields in maps:
        if {"w", "x"} <= set(fields[1]):
            raise Failure(f"both writable and executable: {' '.join(fields)}")


# Addresses.

def case_random_in_spite_of_the_option(bench):
    """Linux randomizes those of set-user-ID programs, and of others where they ask for it."""
    need("setarch")
    with open("/proc/sys/kernel/randomize_va_space", encoding="ascii") as file:
        if file.read().strip() == "0":
            raise Skipped("nothing is randomized here")
    said = "--no-aslr has no effect on "
    expect_match("by setarch", bench.run("--all", "--no-aslr", "setarch", "x86_64", "true").stderr,
                 said + "/.*/true: it is set-user-ID, or asked for")
    done = bench.run("--all", "--no-aslr", "true")
    if said in done.stderr:
        raise Failure(f"of a plain program: {done.stderr}")
    digits = bench.path("digits")
    with open(digits + ".c", "w", encoding="utf-8") as file:
        file.write("int main(int n, char **v) { for (unsigned long a = (unsigned long)v; a; a >>= 1)"
                   " n += a & 1 ? 3 : n & 1; return n & 0; }")
    subprocess.run(["cc", "-O0", "-o", digits, digits + ".c"], check=True)
    done = bench.run("--repeat", "6", "--no-aslr", "--all", "setarch", "x86_64", digits)
    expect_match("--repeat", done.stderr,
                 r"(?s)differs: .*no effect on the program, so the address-space layout may be the cause\n")


# Privileges.

def case_programs_with_privileges(bench):
    """Programs run without their privileges, and a message says so."""
    let_nobody_in(bench)
    for name, mode, capability, natively, said in (
            ("uid", 0o4755, None, "user 0 group 65534 raw .", "is set-user-ID: it ran without"),
            ("gid", 0o2755, None, "user 65534 group 0 raw 0", "is set-group-ID: it ran without"),
            ("raw", 0o755, 13, "user 65534 group 65534 raw 1", "has file capabilities: it ran without")):
        path = privileged(bench, name, mode, capability)
        need_privileges(bench, path, natively)
        done = bench.run("--all", path, wrapper=AS_NOBODY)
        expect(name, done.stdout, "ready\nuser 65534 group 65534 raw 0\n")
        expect_match(name, done.stderr, f"{path} {said}")
        # Also if another program executes them, and if they would not gain privileges untraced.
        expect_match(f"{name} executed", bench.run("--all", "sh", "-c", f"exec {path}", wrapper=AS_NOBODY).stderr, said)
        done = bench.run("--all", path, wrapper=[*AS_NOBODY, "--no-new-privs"])
        expect(f"{name} with no_new_privs", done.stdout, "ready\nuser 65534 group 65534 raw 0\n")
        if "it ran without" in done.stderr:
            raise Failure(f"{name}: no_new_privs takes its privileges, not tracing: {done.stderr}")
    # A user who may trace everything gets them.
    done = bench.run("--all", bench.path("uid"))
    expect_match("by root", done.stdout, "user 0 ")
    if "it ran without" in done.stderr:
        raise Failure(f"by root: {done.stderr}")


def case_attach_to_privileges(bench):
    """The kernel refuses, and the message gives the reason."""
    let_nobody_in(bench)
    path = privileged(bench, "uid", 0o4755)
    need_privileges(bench, path, "user 0 ")
    for command, said in (((*AS_NOBODY, path, "wait"), "set-user-ID and runs as another user"),
                          ((path, "wait"), "another user's")):
        identity = bench.start(*command)
        done = bench.run("-p", str(identity.pid), "--all", status=125, wrapper=AS_NOBODY)
        expect_match("the reason", done.stderr, f"cannot trace process {identity.pid}: .*{said}")
        expect_match("the program", finish(identity), "user 0")


def case_set_user_id_itrace(bench):
    """Tracing would let everybody read and change what its owner may."""
    let_nobody_in(bench)
    need_privileges(bench, privileged(bench, "uid", 0o4755), "user 0 ")
    for mode in (0o4755, 0o2755):
        os.chmod(bench.itrace, mode)
        for command in (("--all", bench.path("identity")), ("report", "x"), ("-p", "1")):
            done = bench.run(*command, status=125, wrapper=AS_NOBODY)
            expect("what it wrote", done.stdout, "")
            expect_match("the reason", done.stderr, "refusing to run set-user-ID")


def case_without_cap_sys_ptrace(bench):
    """As root in a container."""
    let_nobody_in(bench)
    confined = ("setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace")
    done = bench.run("--all", bench.path("identity"), wrapper=confined)
    expect_match("launched", done.stderr, "all: 1 visit")
    identity = bench.start(*AS_NOBODY, bench.path("identity"), "wait")
    done = bench.run("-p", str(identity.pid), "--all", status=125, wrapper=confined)
    expect_match("attached", done.stderr, "CAP_SYS_PTRACE")
    finish(identity)


def case_yama(bench):
    """The message explains each value. The file is a copy, because the values cannot be reverted, or the module is
    missing."""
    let_nobody_in(bench)
    need("unshare")
    identity = bench.start(bench.path("identity"), "wait")
    for scope, said in ((1, "ptrace_scope is 1, which lets only root"),
                        (2, "is 2, which forbids ptrace without CAP_SYS_PTRACE"),
                        (3, "is 3, which forbids ptrace until the next boot")):
        mount = f"mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama && " \
                "chmod 755 /proc/sys/kernel && " \
                f"echo {scope} >/proc/sys/kernel/yama/ptrace_scope"
        if subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True).returncode:
            finish(identity)
            raise Skipped("nothing can be mounted here")
        fake = ("unshare", "-m", "sh", "-c", f'{mount} && exec "$@"', "sh", *AS_NOBODY)
        done = bench.run("-p", str(identity.pid), "--all", status=125, wrapper=fake)
        expect_match(f"ptrace_scope {scope}", done.stderr, said)
    finish(identity)


def case_traced_already(bench):
    need("strace")
    trace = bench.path("strace.out")
    done = bench.run("--all", bench.program("identity"), status=125, wrapper=("strace", "-f", "-o", trace))
    expect("what it wrote", done.stdout, "")
    expect_match("the reason", done.stderr, r"process \d+ traces it already \(a debugger, strace -f\?\)")


# Seccomp.

def allow_all():
    """A filter that allows everything, SECCOMP_RET_ALLOW, as in each container."""
    code = ctypes.create_string_buffer(struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000))

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]

    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    if libc.prctl(22, 2, ctypes.byref(Filter(1, ctypes.cast(code, ctypes.c_void_p))), 0, 0):  # PR_SET_SECCOMP, a filter
        os._exit(99)


def case_filter_of_the_container(bench):
    """itrace still translates if it runs under the filter as well."""
    report = bench.run_json("--all", "--engine", "translate", bench.program("identity"), preexec_fn=allow_all)
    if not any(line.startswith("Seccomp_filters:") for line in open("/proc/self/status", encoding="ascii")):
        raise Skipped("the kernel does not tell the number of filters")
    expect("the engine", report["engine"], "translate")
    expect("the notes", report["notes"], [])


def case_program_confines_itself(bench):
    """No system call of itrace kills the program, also on detaching."""
    alone = subprocess.run([bench.program("confined"), "400"], capture_output=True, text=True)
    if alone.returncode:
        raise Skipped(f"seccomp's strict mode does not work: {alone.returncode}")
    expect("alone", alone.stdout, "sum 79800\n")
    for options in (("--engine", "step"), ("--engine", "translate"), ()):
        expect(f"{options}", bench.run("--all", *options, bench.program("confined"), "400").stdout, alone.stdout)
    alone = subprocess.run([bench.program("confined"), "20000"], capture_output=True, text=True)
    for limit in (("--max-instructions", "150000"), ("--timeout", "0.05")):
        # On a loaded machine the time may end before anything ran, which is an error.
        done = bench.run("--all", "--engine", "translate", *limit, bench.program("confined"), "20000", status=None)
        expect(f"let go by {limit}", done.stdout, alone.stdout)


def case_work_in_a_sandbox(bench):
    """The program is still translated. If a filter may be suspended, later code is translated as well."""
    work = 10000000
    program = (bench.program("confined"), "400", str(work))
    if subprocess.run(program, capture_output=True).returncode:
        raise Skipped("seccomp's strict mode does not work")
    as_user = ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin")
    for wrapper in (as_user, ()) if os.getuid() == 0 and shutil.which("setpriv") else ((),):
        report = bench.run_json("--all", *program, wrapper=wrapper)
        expect("the engine", report["engine"], "translate")
        expect("all of it", report["regions"][0]["instructions"] > 5 * work, True)
    with open("/proc/self/status", encoding="ascii") as file:
        status = dict(line.split(":\t", 1) for line in file if ":\t" in line)
    if int(status["CapEff"], 16) >> CAP_SYS_ADMIN & 1 and int(status["Seccomp"]) == 0:
        report = bench.run_json("--function", "compute", *program)
        expect("its engine", report["engine"], "translate")


# Memory and files.

def limited(kind, value):
    return {"preexec_fn": lambda: resource.setrlimit(kind, (value, value))}


def case_address_space_of_the_program(bench):
    """The program keeps its remaining memory: its code is not copied, and a message says so."""
    report = bench.run_json("--all", "--engine", "translate", bench.program("identity"),
                            **limited(resource.RLIMIT_AS, 300 << 20))
    expect("the engine", report["engine"], "step")
    expect_match("the notes", " ".join(report["notes"]), "lets no memory be mapped into it .*ulimit -v.*stepped")
    report = bench.run_json("--all", "--engine", "translate", bench.program("identity"),
                            **limited(resource.RLIMIT_AS, 4 << 30))
    expect("the engine with 4 GB", report["engine"], "translate")


def expect_error_or_result(what, done, is_result):
    """Checks the end of a run with few resources: a complete result, or an error message."""
    if done.returncode < 0:
        raise Failure(f"{what}: killed by {signal.Signals(-done.returncode).name}: {done.stderr}")
    if done.returncode in (125, 126, 127):
        if not done.stderr.strip():
            raise Failure(f"{what}: ended with {done.returncode} and said nothing")
        return False
    if not is_result(done):
        raise Failure(f"{what}: ended with {done.returncode}: {done.stdout!r} {done.stderr!r}")
    return True


def case_little_memory(bench):
    """itrace ends with a message or a complete report."""
    saved = bench.path("run.itrace")
    bench.run("record", "--all", "-o", saved, "--no-aslr", "/bin/ls", "/")
    whole = bench.run("report", "--model", MODEL, "--format", "json", saved).stdout
    n_results = 0
    for megabytes in range(6, 60, 6):
        limit = limited(resource.RLIMIT_AS, megabytes << 20)
        done = bench.run("--all", bench.program("identity"), status=None, **limit)
        expect_error_or_result(f"{megabytes} MB", done, lambda done: "all: 1 visit" in done.stderr)
        done = bench.run("report", "--model", MODEL, "--format", "json", saved, status=None, **limit)
        n_results += expect_error_or_result(f"report, {megabytes} MB", done, lambda done: done.stdout == whole)
    if not n_results:
        raise Failure("not even with the most memory there was a report")


def case_few_files(bench):
    n_results = 0
    for n_files in range(3, 17):
        done = bench.run("--all", "--engine", "translate", bench.program("identity"), status=None,
                         **limited(resource.RLIMIT_NOFILE, n_files))
        n_results += expect_error_or_result(f"{n_files} files", done, lambda done: "all: 1 visit" in done.stderr)
    if n_results < 4:
        raise Failure(f"only {n_results} of these limits were enough")


def case_small_files(bench):
    """ulimit -f is an error for itrace, and a signal for the program, as without itrace."""
    limit = limited(resource.RLIMIT_FSIZE, 64)
    for engine in ("step", "translate"):
        done = bench.run("--all", "--engine", engine, "-o", "report", bench.program("identity"), status=125, **limit)
        expect_match("its output", done.stdout, "^ready\nuser")
        expect_match("the error", done.stderr, "cannot write the report to 'report': File too large")
        expect_match("the report", done.stderr, "all: 1 visit")
    done = bench.run("--all", "--trace=steps", bench.program("hello"), status=125, **limit)
    expect_match("the trace's error", done.stderr, "cannot write the trace to 'steps': File too large")
    bench.run("--all", "-o", "/dev/null", "dd", "if=/dev/zero", "of=zeros", "bs=1000", "count=1",
              status=-signal.SIGXFSZ, **limit)
    expect("what the program could write", os.path.getsize(bench.path("zeros")), 64)


# The file that a report goes to.

SOMEBODY = 65533


def hostile_folder(bench):
    """A folder that everybody may write to, like /tmp, with entries of another user."""
    folder = bench.path("shared")
    os.mkdir(folder)
    os.chmod(folder, 0o1777)
    with open(bench.path("precious"), "w", encoding="ascii") as file:
        file.write("precious\n")
    os.symlink(bench.path("precious"), os.path.join(folder, "link"))
    os.symlink(bench.path("new"), os.path.join(folder, "dangling"))
    os.mkfifo(os.path.join(folder, "fifo"), 0o666)
    with open(os.path.join(folder, "file"), "w", encoding="ascii") as file:
        file.write("bait\n")
    for name in os.listdir(folder):
        os.lchown(os.path.join(folder, name), SOMEBODY, SOMEBODY)
    # A link of one's own elsewhere leads there.
    os.symlink(os.path.join(folder, "link"), bench.path("chain"))
    return folder


def case_files_of_others(bench):
    """Entries of another user in a folder like /tmp are neither followed nor written to, and the program does not
    run."""
    if os.geteuid():
        raise Skipped("only root can make files of somebody else")
    folder = hostile_folder(bench)
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))] + [bench.path("chain")]
    for path in paths:
        for arguments in (("--all", "-o", path), ("--all", f"--trace={path}"), ("sample", "-o", path)):
            command = [bench.itrace, *arguments, bench.program("identity")]
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL)
            expect(f"{arguments}: {done.stderr}: its status", done.returncode, 125)
            expect_match(f"{arguments}", done.stderr, "cannot write to '.*': another user owns it")
            expect(f"{arguments}: what the program wrote", done.stdout, "")
    for name, content in (("precious", "precious\n"), ("shared/file", "bait\n")):
        with open(bench.path(name), encoding="ascii") as file:
            expect(name, file.read(), content)
    if os.path.exists(bench.path("new")):
        raise Failure("a link of somebody else was followed to a new file")
    # The owner of the folder may put anything there.
    for name in os.listdir(folder):
        os.lchown(os.path.join(folder, name), 0, 0)
    bench.run("--all", "-o", os.path.join(folder, "link"), bench.program("identity"))
    with open(bench.path("precious"), encoding="ascii") as file:
        expect_match("through the folder's owner's link", file.read(), "all: 1 visit")


def case_kinds_of_files(bench):
    """One's own links are followed, devices and FIFOs are written to, and other files are truncated."""
    identity = bench.program("identity")
    bench.run("--all", "-o", "plain", identity)
    with open(bench.path("plain"), encoding="ascii") as file:
        report = file.read()
    expect_match("a new file", report, "^all: 1 visit")
    with open(bench.path("old"), "w", encoding="ascii") as file:
        file.write("x" * 100000)
    for link, to in (("link", "old"), ("second", "link"), ("dangling", "made"), ("circle", "circle"), ("up", "folder")):
        os.symlink(to, bench.path(link))
    os.mkdir(bench.path("folder"))
    for name, there in (("second", "old"), ("dangling", "made")):
        bench.run("--all", "-o", name, identity)
        with open(bench.path(there), encoding="ascii") as file:
            expect_match(name, file.read(), "^all: 1 visit")
        if not os.path.islink(bench.path(name)):
            raise Failure(f"{name} is no link any more")
        if os.path.getsize(bench.path(there)) > 50000:
            raise Failure(f"{there} was not emptied")
    for name, said in (("circle", "Too many levels"), ("up", "Is a directory"), ("folder", "Is a directory"),
                       ("", "No such|Is a dir"),
                       ("folder/", "Is a directory"), ("plain/x", "Not a directory"), ("none/x", "No such file")):
        done = bench.run("--all", "-o", name, identity, status=125)
        expect_match(f"-o '{name}'", done.stderr, said)
        expect(f"-o '{name}': what the program wrote", done.stdout, "")
    os.mkfifo(bench.path("fifo"))
    with subprocess.Popen(["cat", "fifo"], cwd=bench.folder, stdout=subprocess.PIPE, text=True) as reader:
        bench.run("--all", "-o", "fifo", identity)
        expect_match("through a FIFO", reader.communicate(timeout=PATIENCE_S)[0], "^all: 1 visit")
    expect_match("/dev/stdout, a pipe", bench.run("--all", "-o", "/dev/stdout", identity).stdout,
                 "^ready\nuser .*\nall: 1 visit")
    bench.run("--all", "-o", "/dev/null", identity)


def case_output_is_the_program_s(bench):
    """The program's own output to the file is kept."""
    for name in ("/dev/stdout", "/proc/self/fd/1", "/dev/fd/1", "out"):
        with open(bench.path("out"), "w", encoding="ascii") as out:
            run_well([*bench.itrace_command("--all", "-o", name), bench.program("identity")], stdout=out,
                     cwd=bench.folder)
        with open(bench.path("out"), encoding="ascii") as file:
            expect_match(name, file.read(), "^ready\nuser .*\nall: 1 visit")


def case_folder_without_write_permission(bench):
    let_nobody_in(bench)
    done = bench.run("--all", "-o", "report", bench.path("identity"), status=125, wrapper=AS_NOBODY)
    expect_match("the reason", done.stderr, "cannot write to 'report': Permission denied")
    expect("what the program wrote", done.stdout, "")


if __name__ == "__main__":
    sys.exit(main(globals()))
