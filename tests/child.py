"""What scripts start: programs that must end well for a test to mean anything, as compilers, generators and other tools; in which
environment; and how long anything may take."""
import os
import signal
import subprocess

# Only what hangs takes so long: far more than even a loaded machine needs.
PATIENCE_S = 100


class Failure(Exception):
    pass


def environment(**settings):
    """That of this process with these settings, and without the defaults for itrace's options."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("ITRACE_")}, **settings}


def in_words(status):
    return f"killed by {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"


def all_written(done):
    """In one text. What ran out of time wrote bytes, also where text was asked for."""
    parts = [part.decode(errors="backslashreplace") if isinstance(part, bytes) else part for part in (done.stdout, done.stderr)]
    return "\n".join(part for part in parts if part)


def run_well(command, **options):
    """As subprocess.run, of a command that must end with 0: else it is a Failure, which has all that it wrote. That is captured."""
    options = {"stdin": None if "input" in options else subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
               "text": True, "errors": "backslashreplace", "env": environment(), "timeout": PATIENCE_S, **options}
    try:
        done = subprocess.run(command, check=False, **options)
    except OSError as error:
        raise Failure(f"{' '.join(command)}: {error}") from error
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{error}\n{all_written(error)}") from error
    if done.returncode:
        raise Failure(f"{' '.join(command)}: {in_words(done.returncode)}\n{all_written(done)}")
    return done
