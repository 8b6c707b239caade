"""tools/check-layers reports each violation with its location, and nothing for a correct tree."""
import os
import subprocess
import tempfile
import unittest

SCRIPT = os.path.join(os.environ["ITRACE_SOURCE_ROOT"], "tools", "check-layers")

GOOD = {
    "tracer/base/a.c": '#include "base/a.h"\n#include <stdio.h>\n',
    "tracer/base/a.h": "/* Zydis, Dwarf_Addr and ptrace() in a comment; //waitpid( */\nint a(const char *text);\n",
    "tracer/decode/d.c": '#include <Zydis/Zydis.h>\n#include "base/a.h"\n',
    "tracer/decode/insn.h": "struct insn;\n",
    "tracer/profile/profile.h": '#include "decode/insn.h"\n',
    "tracer/target/t.c": '#include <sys/ptrace.h>\n'
                         'int t(void) { return ptrace(0) + waitpid(0); }\nchar *p = "/proc/%d/maps";\n',
    "tracer/engine/e.c": '#include "target/t.h"\n#include "decode/insn.h"\n'
                         'char *text = "ptrace(2) refused; see /proc/sys";\n',
    "tracer/source/s.c": "#include <elfutils/libdwfl.h>\n#include <gelf.h>\n",
    "tracer/cli/c.c": '#include "report/r.h"\n#include "costmodels/model/model.h"\n#include "target/t.h"\n',
    "tracer/main.c": '#include "cli/c.h"\n',
    "costmodels/model/model.h": "struct model;\n",
    "costmodels/estimators/m.c": '#include "costmodels/model/model.h"\n#include "profile/profile.h"\n',
    "tracer/analysis/x.c": '#include "analysis/x_private.h"\n',
    "tracer/analysis/x_private.h": '#include "analysis/x.h"\n',
    "tracer/analysis/x.h": "int x(void);\n",
    "tracer/analysis/y.c": '#include "analysis/x_private.h"\n',
    "tracer/analysis/y.h": "int y(void);\n",
}

# Path, line, content, expected part of the message.
BAD = [
    ("tracer/base/b.c", 2, '\n#include "decode/insn.h"\n', "base includes decode/insn.h: it may use no other room"),
    ("tracer/profile/b.c", 1, '#include "decode/table.h"\n',
     "profile includes decode/table.h: it may use base, decode/insn.h"),
    ("costmodels/model/b.c", 1, '#include "target/t.h"\n', "costmodels/model includes target/t.h"),
    ("costmodels/model/b2.c", 1, '#include "costmodels/estimators/m.h"\n',
     "costmodels/model includes costmodels/estimators/m.h"),
    ("tracer/report/b.c", 1, '#include <Zydis/Zydis.h>\n', "report includes Zydis/Zydis.h: only decode may"),
    ("tracer/decode/b.h", 3, "/* one\ntwo */\nstruct user_regs_struct *regs;\n",
     "mentions user_regs_struct: only target may"),
    ("tracer/engine/b.h", 1, "ZydisMnemonic mnemonic;\n", "mentions ZydisMnemonic: only decode may"),
    ("tracer/profile/b.h", 1, "Dwfl_Module *module;\n", "mentions Dwfl_Module: only source may"),
    ("tracer/engine/b2.h", 1, "Elf *elf; Elf64_Sym s;\n", "mentions Elf: only elf and source may"),
    ("tracer/engine/b.c", 2, "/* */\nint f(void) { return waitpid(-1, 0, 0); }\n",
     "engine calls waitpid: only target and timing may"),
    ("tracer/cli/b.c", 1, "long r = ptrace (PTRACE_CONT, 0, 0, 0);\n", "cli calls ptrace: only target may"),
    ("tracer/engine/b3.c", 1, "long r = syscall(SYS_perf_event_open, 0);\n", "only sampler may"),
    ("tracer/engine/b5.c", 1, "int r = setitimer(0, 0, 0);\n", "engine calls setitimer: only sampler and target may"),
    ("tracer/regions/b.c", 1, 'char *f = "/proc/%d/maps";\n', "a path under /proc/%: only target may"),
    ("tracer/engine/b4.c", 1, '#include "local.h"\n', "write it as room/file.h"),
    ("tracer/attic/b.c", 1, "int a;\n", "attic is not in the table"),
]


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            with open(os.path.join(folder, path), "w", encoding="utf-8") as out:
                out.write(text)
        done = subprocess.run([SCRIPT, folder], stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout.splitlines()


class CheckLayers(unittest.TestCase):
    def test_good_tree(self):
        self.assertEqual(check(GOOD), (0, []))

    def test_each_breach_is_named(self):
        status, lines = check({**GOOD, **{path: text for path, _, text, _ in BAD}})
        self.assertEqual(status, 1)
        self.assertEqual(len(lines), len(BAD), lines)
        for path, line, _, message in BAD:
            found = [text for text in lines if text.startswith(f"{path}:{line}: ")]
            self.assertEqual(len(found), 1, f"{path}:{line} in {lines}")
            self.assertIn(message, found[0])

    def test_circle_of_files(self):
        status, lines = check({**GOOD, "tracer/report/p.c": '#include "report/q.h"\n', "tracer/report/p.h": "int p;\n",
                               "tracer/report/q.c": '#include "report/p.h"\n', "tracer/report/q.h": "int q;\n"})
        self.assertEqual(status, 1)
        self.assertEqual(lines, ["report/p: these files include one another: report/p report/q"])

    def test_empty_tree_is_no_success(self):
        self.assertEqual(check({})[0], 1)


if __name__ == "__main__":
    unittest.main()
