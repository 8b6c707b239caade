"""Tests the importer on a sample in the structure of uops.info's instructions.xml, and on malformed files."""
import os
import random
import re
import subprocess
import unittest

from itrace import HERE, ITRACE, SAMPLE, ImportTest

# Bytes of an instruction, whose form must equal itrace's, and its row in the sample: latency, throughput, uops, ports,
# flags, fused, latencies.
EXPECTED = [
    ("48 01 d8", "ADD r64, r64", "1|0.25|1|p0156:1||1|1>1:1 1>flags:1 2>1:1 2>flags:1"),
    # the general encoding, not that of the accumulator
    ("48 05 00 01 00 00", "ADD r64, imm32", "1|0.25|1|p0156:1||1|1>1:1"),
    ("48 03 03", "ADD r64, m64", "6|0.5|2|p0156:1 p23:1|load|1|1>1:1 1>flags:1 2>1:5 2a>1:6 2i>1:6"),
    ("48 89 03", "MOV m64, r64", "5|1|2|p237:1 p4:1|store|1|1a>1:4 2>1:5"),
    ("31 d8", "XOR r32, r32", "1|0.25|1|p0156:1||1|1>1:1 2>1:1"),
    ("31 c0", "XOR r32, r32 (same)", "0|0.25|0|||1|1>1:0 2>1:0"),
    ("d3 e0", "SHL r32, cl", "2|1.5|2|p06:2||2|1>1:2 2>flags:2"),
    ("48 d1 e0", "SHL r64, 1", "1|0.5|1|p06:1||1|1>1:1"),
    ("0f b6 c7", "MOVZX r32, r8h", "2|0.25|1|p0156:1||1|2>1:2"),
    ("48 8d 44 8b 10", "LEA r64, [b+i*s+d]", "3|1|1|p1:1||1|2a>1:3 2i>1:3"),
    ("48 8d 05 00 00 00 00", "LEA r64, [rip+d]", "|1|1|p15:1||1|"),
    ("74 00", "JZ rel8", "|0.5|1|p06:1||1|"),
    ("f0 0f c1 03", "LOCK XADD m32, r32", "18|18|9|p0156:4 p23:1 p237:1 p4:1|load store|9|1>2:18"),
    ("48 f7 e3", "MUL r64", "4|1|2|p1:1 p5:1||2|1>rax:3 1>rdx:4 rax>flags:4"),
    ("aa", "STOSB m8", "1|1|3||store|3|rdi>rdi:1"),
    ("e8 00 00 00 00", "CALL rel32", "|2|3|||2|"),
    ("d8 03", "FADD m32", "3|1|2|p23:1 p5:1|load|1|st0>st0:3"),
    ("f2 0f 10 03", "MOVSD xmm, m64", "5|0.5|1|p23:1|load|1|2a>1:5"),
    ("c4 e2 6d 92 04 8b", "VGATHERDPS ymm, vm32y, ymm", "|5.1|10|p0:1 p23:8 p5:1|load|4|"),
    ("62 f1 6c d9 58 03", "VADDPS zmm{k}{z}, zmm, m32{1to16}", "11|1|2|p05:1 p23:1|load|1|k>1:4 2>1:4 3a>1:11"),
    ("62 f1 6c 18 58 c3", "VADDPS zmm, zmm, zmm{er}", "4|1|1|p05:1||1|2>1:4"),
    ("62 f1 6c 18 c2 c3 01", "VCMPPS k, zmm, zmm{sae}, imm8", "3|1|1|p5:1||1|2>1:3"),
]


def measured(instruction, operands=""):
    return (f"<root><instruction iclass='ADD'/><instruction {instruction}>{operands}<architecture name='SKL'>"
            "<measurement TP='1' uops='x' ports='1*p0+p1'><latency start_op='1' target_op='9' cycles='1'/>"
            "</measurement></architecture></instruction></root>")


class Sample(ImportTest):
    def test_rows(self):
        said, rows = self.make_model(SAMPLE, "SKL")
        self.assertEqual(said, "22 forms; left out: 1 measurements of the same form, 1 instructions without a form\n")
        self.assertIn("\ntitle = Intel Skylake, by uops.info\nvendor = Intel\nyear = 2015\n", self.header)
        forms = self.forms_of([encoding for encoding, _, _ in EXPECTED])
        for encoding, form, row in EXPECTED:
            self.assertEqual(forms[encoding], form)
            self.assertEqual("|".join(rows[form]), row, form)
            self.assertIn("match       exact\n", self.itrace("show", "toy", form)[1], form)
        self.assertEqual(len(rows), len(EXPECTED))
        self.check_model()

    def test_file_is_as_ever(self):
        with open(os.path.join(HERE, "skl.cost"), encoding="ascii") as file:
            self.assertEqual(self.itrace("import", SAMPLE, "--arch", "SKL")[1], file.read())

    def test_other_architecture(self):
        _, rows = self.make_model(SAMPLE, "ZEN2")
        self.assertEqual(rows, {"ADD r64, r64": ["1", "0.3", "1", "", "", "", "1>1:1"]})
        self.assertEqual(self.refuse(SAMPLE, "SLK"), f"{SAMPLE} has no measurements of 'SLK'; it has: SKL, ZEN2")
        self.assertEqual(self.refuse(SAMPLE, "S\nL"),
                         "'S\\x0AL' is not an architecture of uops.info, such as SKL or ZEN4")

    def test_unknown_cpu_has_its_name_for_a_title(self):
        with open(SAMPLE, encoding="utf-8") as file:
            path = self.write("i.xml", file.read().replace('"SKL"', '"NEW1"'))
        self.make_model(path, "NEW1")
        self.assertIn("\ntitle = NEW1, by uops.info\nrank = throughput\n", self.header)


class Refused(ImportTest):
    def test_other_files(self):
        for text, message in (
                ("", "1: no element found: the file is not complete"),
                ("ELF", "1: syntax error: the file is not XML or is damaged"),
                ("<html>\n<body/></html>",
                 "1: this is not uops.info's instructions.xml: its first element is <html>, not <root>"),
                ("<root>\n<a/>\n</root>", "3: no <instruction>: this is not uops.info's instructions.xml"),
                ("<root>\n<instruction iclass='ADD'>\n<architecture/></instruction></root>",
                 "3: an <architecture> without a name"),
                ("<root>\n<instruction>\n", "3: no element found: the file is not complete"),
                ("<root>\n<instruction>\n</root>\n", "3: mismatched tag: the file is not XML or is damaged"),
                ("<root>\n<instruction>\n<\x01>\n",
                 "3: not well-formed (invalid token): the file is not XML or is damaged"),
                ("<?xml version='1.0' encoding='x'?>\n<root/>",
                 "1: unknown encoding: x: the file is not XML or is damaged")):
            path = self.write("i.xml", text)
            self.assertEqual(self.refuse(path), f"{path}:{message}")

    def test_damaged_files(self):
        for name, message in (
                ("truncated", "47: unclosed token: the file is not complete"),
                ("other_schema",
                 "1: this is not uops.info's instructions.xml: its first element is <html>, not <root>"),
                ("instruction_in_operand", "17: not well-formed (invalid token): the file is not XML or is damaged")):
            path = os.path.join(HERE, "damaged", name + ".xml")
            self.assertEqual(self.refuse(path), f"{path}:{message}")

    def test_every_cut(self):
        """A file truncated anywhere is refused."""
        with open(SAMPLE, "rb") as file:
            sample = file.read()
        for end in range(0, len(sample) - 10, len(sample) // 25):
            path = self.write("i.xml", sample[:end])
            self.assertRegex(self.refuse(path), "i.xml:[0-9]+: .* the file is not complete")

    def test_unreadable(self):
        self.assertEqual(self.refuse("/nonexistent/i.xml"),
                         "cannot read /nonexistent/i.xml: No such file or directory")
        self.assertEqual(self.refuse(self.folder), f"cannot read {self.folder}: Is a directory")


class OddValues(ImportTest):
    def test_stay_out_of_the_model(self):
        for text in (
                measured("iclass='ADD | 1 | 1'"),
                measured("iclass='add'"),
                measured("string='x'"),
                measured(f"iclass='{'A' * 76}'"),
                measured("iclass='ADD'", "<operand type='mem' width='8' memory-suffix='{1to#}'/>"),
                measured("iclass='ADD'", "<operand type='what' width='8'/>"),
                measured("iclass='ADD'", "<operand idx='1' type='reg' width='8'>AL</operand>" * 17),
                measured("iclass='LEA' string='LEA_X (R64)'", "<operand type='agen'/>"),
                measured("iclass='VADDPS'", "<operand type='mem' VSIB='XMM'/>")):
            self.assertIn("has no measurements of 'SKL'; it has: SKL", self.refuse(self.write("i.xml", text)))

    def test_are_left_out_of_a_row(self):
        text = measured("iclass='ADD'", "<operand idx='1' type='reg' width='8'>#|\n</operand>")
        _, rows = self.make_model(self.write("i.xml", text), "SKL")
        self.assertEqual(rows, {"ADD r8": ["1", "1", "", "p0:1", "", "", ""]})

    def test_register_without_a_name_has_no_latency(self):
        text = measured("iclass='ADD'", "<operand idx='1' type='reg' width='8'>AL</operand>"
                        "<operand idx='9' suppressed='1' type='reg' width='8'>|</operand>")
        _, rows = self.make_model(self.write("i.xml", text), "SKL")
        self.assertEqual(rows, {"ADD r8": ["1", "1", "", "p0:1", "", "", ""]})

    def test_values_in_wrong_places(self):
        """Randomly swapped attributes and texts never give a wrong model."""
        with open(SAMPLE, encoding="utf-8") as file:
            parts = re.split('((?<==")[^"]*(?=")|(?<=>)[^<>]+(?=<))', file.read())
        chance, values = random.Random(1), range(1, len(parts), 2)
        for _ in range(30):
            for _ in range(10):
                one, other = chance.choice(values), chance.choice(values)
                parts[one], parts[other] = parts[other], parts[one]
            self.make_or_refuse(self.write("i.xml", "".join(parts)))

    def test_instructions_without_a_form_are_counted(self):
        text = measured("iclass='REP_STOSB'").replace("</root>", measured("iclass='NOP'")[len("<root>"):])
        said, rows = self.make_model(self.write("i.xml", text), "SKL")
        self.assertEqual(list(rows), ["NOP"])
        self.assertEqual(said, "1 forms; left out: 0 measurements of the same form, 1 instructions without a form\n")


class LargeFile(ImportTest):
    def test_memory_does_not_grow_with_the_file(self):
        with open(SAMPLE, encoding="utf-8") as file:
            head, body = file.read().replace("</root>\n", "").split("<root>\n")
        peaks_kib = []
        for copies in (10, 1000):
            # Written in pieces, because the importer's peak includes the memory of this process at its start.
            path = self.write("i.xml", head + "<root>\n")
            with open(path, "a", encoding="utf-8") as out:
                for _ in range(copies):
                    out.write(body)
                out.write("</root>\n")
            importer = subprocess.Popen([ITRACE, "models", "import", path, "--arch=SKL", "-o", self.path("toy.cost")],
                                        stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(importer.pid, 0)
            importer.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(importer.returncode, 0)
            peaks_kib.append(usage.ru_maxrss)
        self.assertLess(peaks_kib[1], peaks_kib[0] + 4096)  # the second file has 15 MB more


if __name__ == "__main__":
    unittest.main()
