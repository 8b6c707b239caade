"""Shared by the tests of this folder: itrace, and a folder for each test."""
import os
import subprocess
import tempfile
import unittest

ITRACE = os.environ["ITRACE"]
HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLE = os.path.join(HERE, "instructions.xml")


class ImportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def itrace(self, *arguments, text="", itrace=ITRACE, **environment):
        """Runs `itrace models ...`. Returns exit status, standard output and standard error."""
        done = subprocess.run([itrace, "models", *arguments], input=text, capture_output=True, text=True, check=False,
                              env={**os.environ, "ITRACE_MODEL_PATH": self.folder, **environment})
        return done.returncode, done.stdout, done.stderr

    def make_model(self, path, arch):
        """Imports the file as toy.cost, which must succeed. Returns itrace's messages, and the rows by form."""
        model = self.path("toy.cost")
        status, output, said = self.itrace("import", path, "--arch", arch, "-o", model)
        self.assertEqual((status, output), (0, ""), said)
        status, _, problems = self.itrace("show", model, "NOP")
        self.assertEqual((status, problems), (0, ""))
        with open(model, encoding="ascii") as file:
            self.header, _, table = file.read().partition("[forms]\n")
        rows = {}
        for line in table.splitlines()[1:]:
            form, *cells = line.split(" | ")
            self.assertNotIn(form, rows)
            rows[form] = [cell.strip() for cell in cells]
        return said, rows

    def check_model(self):
        """toy.cost must have only forms of instructions. This takes some seconds."""
        self.assertEqual(self.itrace("check", self.path("toy.cost")), (0, "", ""))

    def make_or_refuse(self, path):
        """The file is refused with a message, or gives a correct model."""
        if self.itrace("import", path, "--arch", "SKL")[0]:
            self.refuse(path)
        else:
            self.make_model(path, "SKL")

    def refuse(self, path, arch="SKL"):
        """The import must fail and write nothing. Returns its message without "itrace: "."""
        status, output, said = self.itrace("import", path, "--arch", arch)
        self.assertEqual((status, output), (125, ""), said)
        self.assertRegex(said, r"\Aitrace: [^\n]+\n\Z")
        return said[len("itrace: "):-1]

    def forms_of(self, encodings):
        """Returns itrace's forms of instructions in hexadecimal."""
        status, output, said = self.itrace("form", "-", text="".join(encoding + "\n" for encoding in encodings))
        self.assertEqual((status, said), (0, ""))
        return dict(line.split("\t") for line in output.splitlines())
