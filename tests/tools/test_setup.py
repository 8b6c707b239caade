"""tools/setup prints nothing if no package is missing, names missing packages, and asks apt-get for exactly these."""
import os
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = os.path.join(os.environ["ITRACE_SOURCE_ROOT"], "tools", "setup")
# Commands that prove a package, and commands that the script itself uses.
COMMANDS = ["gcc", "g++", "meson", "ninja", "pkg-config", "cmake"]
NEEDED = ["bash", "mktemp", "rm", "tail", "env"]


def setup(commands, apt_get=None):
    """Runs `tools/setup build` with only these commands in PATH, and an apt-get with this script."""
    with tempfile.TemporaryDirectory() as folder:
        for name in commands + NEEDED:
            os.symlink(shutil.which(name) or "/bin/true", os.path.join(folder, name))
        # root needs no sudo; this sudo serves a user.
        for name, text in (("apt-get", apt_get), ("sudo", '"$@"')):
            if text is not None:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                    out.write(f"#!{shutil.which('bash')}\n{text}\n")
                os.chmod(out.name, 0o755)
        calls = os.path.join(folder, "calls")
        done = subprocess.run([shutil.which("bash"), SCRIPT, "build"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, env={"PATH": folder, "CALLS": calls})
        asked = []
        if os.path.exists(calls):
            with open(calls, encoding="utf-8") as lines:
                asked = lines.read().splitlines()
        return done.returncode, done.stdout, asked


RECORD = 'echo "$@" >>"$CALLS"'


class Setup(unittest.TestCase):
    def test_nothing_missing_is_silent(self):
        self.assertEqual(setup(COMMANDS, RECORD), (0, "", []))

    def test_asks_for_what_is_missing(self):
        status, text, asked = setup([name for name in COMMANDS if name not in ("meson", "ninja")], RECORD)
        self.assertEqual(status, 0)
        self.assertEqual(text, "Installing missing packages with apt-get: meson ninja-build\n")
        self.assertEqual(len(asked), 2)
        self.assertIn("update", asked[0])
        self.assertTrue(asked[1].endswith(" install meson ninja-build"), asked[1])

    def test_no_apt(self):
        status, text, _ = setup([name for name in COMMANDS if name != "cmake"])
        self.assertEqual(status, 1)
        self.assertIn("cmake\nThis system has no apt-get", text)

    def test_apt_fails(self):
        status, text, _ = setup([], 'echo "E: no network"; exit 100')
        self.assertEqual(status, 1)
        self.assertIn("E: no network\napt-get failed", text)


if __name__ == "__main__":
    unittest.main()
