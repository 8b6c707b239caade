"""Tests the command line of `itrace models import`: names, output files, and missing parts."""
import os
import shutil
import subprocess
import unittest

from itrace import ITRACE, SAMPLE, ImportTest

SUMMARY = "22 forms; left out: 1 measurements of the same form, 1 instructions without a form\n"


class Output(ImportTest):
    def test_named_like_its_file(self):
        path = self.path("my.cost")
        self.assertEqual(self.itrace("import", SAMPLE, "--arch", "SKL", "-o", path), (0, "", SUMMARY))
        self.assertEqual(self.itrace("check", path), (0, "", ""))
        self.assertTrue(self.itrace("show", "my", "RET")[1].startswith("model       my, Intel Skylake, by uops.info\n"))
        self.assertEqual(os.listdir(self.folder), ["my.cost"])

    def test_named_like_the_architecture(self):
        status, output, _ = self.itrace("import", "--arch=ZEN2", SAMPLE)
        self.assertEqual(status, 0)
        self.assertIn("\nname = zen2\n", output)

    def test_failure_leaves_what_is_there(self):
        path = self.write("my.cost", "old")
        status, _, said = self.itrace("import", SAMPLE, "--arch", "XYZ", "-o", path)
        self.assertEqual((status, said), (125, f"itrace: {SAMPLE} has no measurements of 'XYZ'; it has: SKL, ZEN2\n"))
        with open(path, encoding="ascii") as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(os.listdir(self.folder), ["my.cost"])

    def test_unwritable(self):
        for output, message in (
                ("/nonexistent/a.cost", "cannot write /nonexistent/a.cost.part: No such file or directory"),
                (self.path("a b.cost"), "'a b' cannot name a model: expected only letters, digits and . _ + -"),
                (self.path(""), "'' cannot name a model: expected only letters, digits and . _ + -")):
            status, _, said = self.itrace("import", SAMPLE, "--arch", "SKL", "-o", output)
            self.assertEqual((status, said), (125, f"itrace: {message}\n"))

    def test_output_is_a_folder(self):
        os.mkdir(self.path("a.cost"))
        status, _, said = self.itrace("import", SAMPLE, "--arch", "SKL", "-o", self.path("a.cost"))
        self.assertEqual((status, said), (125, f"itrace: cannot write {self.path('a.cost')}: Is a directory\n"))
        self.assertEqual(os.listdir(self.folder), ["a.cost"])

    def test_other_import_at_work(self):
        part = self.write("a.cost.part", "another one's")
        status, _, said = self.itrace("import", SAMPLE, "--arch", "SKL", "-o", self.path("a.cost"))
        self.assertEqual((status, said), (125, f"itrace: cannot write {part}: File exists\n"))
        self.assertEqual(os.listdir(self.folder), ["a.cost.part"])

    def test_full_disk(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([ITRACE, "models", "import", SAMPLE, "--arch", "SKL"], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (125, "itrace: cannot write the model: No space left on device\n"))

    def test_input_from_a_pipe(self):
        with open(SAMPLE, encoding="utf-8") as file:
            status, output, said = self.itrace("import", "/dev/stdin", "--arch", "SKL", text=file.read())
        self.assertEqual((status, said), (0, SUMMARY))
        self.assertIn("\nname = skl\n", output)


class Usage(ImportTest):
    def test_wrong(self):
        for arguments in ([], [SAMPLE], [SAMPLE, "--arch"], [SAMPLE, SAMPLE, "--arch", "SKL"], ["--arch", "SKL"],
                          [SAMPLE, "--arch", "SKL", "--what"], [SAMPLE, "--ar", "SKL"]):
            status, output, said = self.itrace("import", *arguments)
            self.assertEqual((status, output), (125, ""), arguments)
            self.assertTrue(said.endswith("\nusage: itrace models import FILE --arch ARCH [-o NAME.cost]\n"), said)

    def test_help(self):
        status, output, said = self.itrace("import", "--help")
        self.assertEqual((status, said), (0, ""))
        self.assertIn("usage: itrace models import FILE --arch ARCH [-o NAME.cost]\n", output)


class Installed(ImportTest):
    """Tests where itrace finds the script, in folders like those of `ninja install`."""

    def install(self, *folders):
        """Copies itrace to bin/, and the script and its modules."""
        os.mkdir(self.path("bin"))
        shutil.copy(ITRACE, self.path("bin"))
        tools = os.path.join(os.path.dirname(ITRACE), "tools")
        for folder in folders:
            os.makedirs(self.path(folder), exist_ok=True)
            shutil.copy(os.path.join(tools, "itrace-import-model"), self.path(folder))
            shutil.copytree(os.path.join(tools, "importers"), self.path(folder + "/../share/itrace/importers"))
        return self.path("bin/itrace")

    def test_beside_itrace(self):
        itrace = self.install("bin")
        self.assertEqual(self.itrace("import", SAMPLE, "--arch", "SKL", itrace=itrace)[2], SUMMARY)

    def test_in_path(self):
        itrace, path = self.install("other/bin"), self.path("other/bin") + ":" + os.environ["PATH"]
        self.assertEqual(self.itrace("import", SAMPLE, "--arch", "SKL", itrace=itrace, PATH=path)[2], SUMMARY)

    def test_no_script(self):
        status, _, said = self.itrace("import", SAMPLE, "--arch", "SKL", itrace=self.install(), PATH="/nonexistent")
        self.assertEqual((status, said), (
            125, "itrace: 'itrace models import' needs itrace-import-model beside itrace or in $PATH; install itrace "
                 "again: cannot run itrace-import-model: No such file or directory\n"))

    def test_no_python(self):
        status, _, said = self.itrace("import", SAMPLE, "--arch", "SKL", PATH="/nonexistent")
        self.assertEqual((status, said), (
            125, "itrace: 'itrace models import' needs Python 3; install it: cannot run python3: "
                 "No such file or directory\n"))

    def test_modules_of_the_user_do_not_get_in(self):
        self.write("zipfile.py", "raise SystemExit('wrong module')\n")
        self.assertEqual(self.itrace("import", SAMPLE, "--arch", "SKL", PYTHONPATH=self.folder)[2], SUMMARY)


if __name__ == "__main__":
    unittest.main()
