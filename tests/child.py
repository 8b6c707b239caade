"""Starts child programs: compilers, generators and other tools that must succeed for a test to be valid. Sets their
environment and time limit."""
import os
import signal
import subprocess

# Far more time than a loaded machine needs: only a hanging program takes so long.
PATIENCE_S = 100


class Failure(Exception):
    pass


def environment(**settings):
    """Returns this process's environment with these settings, and without defaults for itrace's options."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("ITRACE_")}, **settings}


def in_words(status):
    return f"killed by {signal.Signals(-status).name}" if status < 0 else f"ended with {status}"


def all_written(done):
    """Joins the output. After a timeout it is bytes, even if text was requested."""
    parts = [part.decode(errors="backslashreplace") if isinstance(part, bytes) else part
             for part in (done.stdout, done.stderr)]
    return "\n".join(part for part in parts if part)


def run_well(command, **options):
    """Like subprocess.run, for a command that must exit with 0. Otherwise raises a Failure with the captured output."""
    options = {"stdin": None if "input" in options else subprocess.DEVNULL, "stdout": subprocess.PIPE,
               "stderr": subprocess.PIPE,
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
