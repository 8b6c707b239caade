"""Tests the importer on spreadsheets in the shape of AMD's, with made-up figures, and on malformed files."""
import io
import os
import random
import unittest
import zipfile
from xml.sax.saxutils import escape

from itrace import ImportTest

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
HEADINGS = ["Instruction", "Op1", "Op2", "Op3", "Op4", "APM Vol", "Cpuid flag", "Ops", "Unit", "Latency", "Throughput",
            "Notes"]


def row(instruction, operands, ops, unit, latency, throughput, notes=""):
    return [instruction, *(operands.split(", ") + [""] * 4)[:4], "3", "", ops, unit, latency, throughput, notes]


SHEET = [
    row("ADD", "reg16/32/64, reg16/32/64", 1, "ALU", 1, 4),
    row("ADD", "reg32/64, mem32/64", 1, "ALU, LD", 5, 3),
    row("ADD", "mem, reg", 1, "ALU0/ALU3, ST", "~6", 1),
    row("ADD", "RAX, imm32", 1, "ALU", 9, 1),
    row("ADD", "reg64, imm8/32", 1, "ALU", 1, 4),
    row("SHL/SAL", "reg32, cl", 1, "ALU1|ALU2", 1, 2),
    row("SHL", "reg32, 1", 1, "ALU1/2", 1, 2),
    row("Jcc", "rel8off", 1, "BR0/BR1", "", "2"),
    row("CMOVE/CMOVZ", "reg64, reg64", 1, "ALU0/ALU3", "1", "2"),
    row("MOVZX", "reg32/64, reg8/mem8", 1, "ALU", 1, "4"),
    row("DIV", "reg64", "2", "ALU2", "10-18", "0.1-0.125"),
    row("MUL", "reg64", "2", "MUL", "3,4", "1/2"),
    row("CPUID", "", "ucode", "ucode", "var", "-"),
    row("LOCK XADD", "mem32, reg32", 4, "ALU", "<=8", "0.125"),
    row("REP MOVSB", "", "ucode", "", "var", "1"),
    row("STOSB", "", 1, "ST", 1, 1),
    row("MOVS", "mem16, mem16", 4, "", "", "0.25"),
    row("LEA", "reg64, mem", 1, "ALU", 1, 4),
    row("CALL (near)", "rel32off", 2, "", "", 1),
    row("RET (far)", "", 20, "", 40, ".05"),
    row("FADD", "ST(0), mem32real", 1, "FP2/FP3", "7", "1"),
    row("FADD", "ST(0), ST(i)", 1, "FP2/FP3", 7, 1),
    row("MOVSD", "xmm1, mem64", 1, "LD", 7, 2),
    row("BLENDVPS", "xmm1, xmm2/mem128, <xmm0>", 1, "FP0/FP1", 1, 2),
    row("CVTSS2SI", "reg32/64, xmm1/mem32", 2, "FP2 and ST", 7, 1),
    row("VADDPS", "ymm1, ymm2, ymm3/mem256", 1, "FP2/FP3", 3, 2),
    row("VADDPS", "zmm1 {k1}{z}, zmm2, zmm3/mem512/m32bcst {er}", 1, "FP2/FP3", 3, 1),
    row("VGATHERDPS", "ymm1, vm32y, ymm2", 40, "FP", "20", "0.111"),
    row("PUSH", "reg64", 1, "ST", "", 2),
    row("FOO", "unheard of", 1, "ALU", 1, 1),
    row("IMUL", "reg32, reg/mem32, imm", 1, "ALU1", 3, 1, "unheard of"),
]

# Bytes of an instruction, whose form must equal itrace's, and the row: latency, throughput, uops, ports, flags.
EXPECTED = [
    ("48 01 d8", "ADD r64, r64", "1|0.25|1|alu:1|"),
    ("66 01 d8", "ADD r16, r16", "1|0.25|1|alu:1|"),
    ("48 03 03", "ADD r64, m64", "5|0.333|1|alu:1 load:1|load"),
    ("00 03", "ADD m8, r8", "6|1|1|alu03:1 store:1|range"),
    # RAX alone is replaced by any register
    ("48 05 00 01 00 00", "ADD r64, imm32", "1|0.25|1|alu:1|"),
    ("48 83 c0 01", "ADD r64, imm8", "1|0.25|1|alu:1|"),
    ("d3 e0", "SHL r32, cl", "1|0.5|1|alu12:1|"),
    ("d1 e0", "SHL r32, 1", "1|0.5|1|alu12:1|"),
    ("74 00", "JZ rel8", "|0.5|1|br01:1|"),
    ("77 00", "JNBE rel8", "|0.5|1|br01:1|"),
    ("48 0f 44 c3", "CMOVZ r64, r64", "1|0.5|1|alu03:1|"),
    ("0f b6 03", "MOVZX r32, m8", "1|0.25|1|alu:1|load"),
    ("48 0f b6 c3", "MOVZX r64, r8", "1|0.25|1|alu:1|"),
    ("48 f7 f3", "DIV r64", "14|9|2|alu2:1|range"),
    ("48 f7 e3", "MUL r64", "3.5|2|2|mul:1|range"),
    ("f0 0f c1 03", "LOCK XADD m32, r32", "8|8|4|alu:1|range"),
    ("aa", "STOSB m8", "1|1|1|store:1|"),
    ("66 a5", "MOVSW m16, m16", "|4|4||load"),
    ("48 8d 44 8b 10", "LEA r64, [b+i*s+d]", "1|0.25|1|alu:1|range"),
    ("48 8d 05 00 00 00 00", "LEA r64, [rip+d]", "1|0.25|1|alu:1|range"),
    ("e8 00 00 00 00", "CALL rel32", "|1|2||"),
    ("cb", "RETF", "40|20|20||"),
    ("d8 03", "FADD m32", "7|1|1|fp23:1|"),
    ("d8 c1", "FADD st, st", "7|1|1|fp23:1|"),
    ("f2 0f 10 03", "MOVSD xmm, m64", "7|0.5|1|load:1|load"),
    ("66 0f 38 14 c1", "BLENDVPS xmm, xmm", "1|0.5|1|fp01:1|"),
    ("66 0f 38 14 03", "BLENDVPS xmm, m128", "1|0.5|1|fp01:1|load"),
    ("f3 48 0f 2d c1", "CVTSS2SI r64, xmm", "7|1|2|fp2:1 store:1|"),
    ("f3 48 0f 2d 03", "CVTSS2SI r64, m32", "7|1|2|fp2:1 store:1|load"),
    ("c5 ec 58 c3", "VADDPS ymm, ymm, ymm", "3|0.5|1|fp23:1|"),
    ("62 f1 6c 48 58 c3", "VADDPS zmm, zmm, zmm", "3|1|1|fp23:1|"),
    ("62 f1 6c d9 58 03", "VADDPS zmm{k}{z}, zmm, m32{1to16}", "3|1|1|fp23:1|load"),
    ("62 f1 6c 19 58 c3", "VADDPS zmm{k}, zmm, zmm{er}", "3|1|1|fp23:1|"),
    ("62 f1 6c 49 58 03", "VADDPS zmm{k}, zmm, m512", "3|1|1|fp23:1|load"),
    ("c4 e2 6d 92 04 8b", "VGATHERDPS ymm, vm32y, ymm", "20|9.009|40|fp:1|load"),
    ("50", "PUSH r64", "|0.5|1|store:1|"),
    ("6b c3 05", "IMUL r32, r32, imm8", "3|1|1|alu1:1|"),
    ("69 03 00 01 00 00", "IMUL r32, m32, imm32", "3|1|1|alu1:1|load"),
]


def letters(column):
    return (letters((column - 1) // 26) if column > 26 else "") + chr(ord("A") + (column - 1) % 26)


class Book:
    """Makes an .xlsx file. strings: the storage of its texts, "shared", "inline" or "plain"."""

    def __init__(self, strings="shared"):
        self.strings, self.shared, self.sheets = strings, [], []

    def text_cell(self, place, text):
        if self.strings == "inline":
            runs = "".join(f"<r><t>{escape(run)}</t></r>" for run in (text[:2], text[2:]))
            return f'<c{place} t="inlineStr"><is>{runs}</is></c>'
        if self.strings == "plain":
            return f'<c{place} t="str"><v>{escape(text)}</v></c>'
        self.shared.append(text)
        return f'<c{place} t="s"><v>{len(self.shared) - 1}</v></c>'

    def add(self, name, rows, with_places=True):
        lines = []
        for number, cells in enumerate(rows, 1):
            line = ""
            for column, cell in enumerate(cells, 1):
                place = f' r="{letters(column)}{number}"' if with_places else ""
                if isinstance(cell, str) and cell:
                    line += self.text_cell(place, cell)
                elif cell != "":
                    line += f"<c{place}><v>{cell}</v></c>"
                elif not with_places:
                    line += "<c/>"
            lines.append(f'<row r="{number}">{line}</row>' if with_places else f"<row>{line}</row>")
        self.sheets.append((name, f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'))
        return self

    def members(self):
        numbers = range(1, len(self.sheets) + 1)
        names = "".join(f'<sheet name="{escape(name)}" sheetId="{number}" r:id="rId{number}"/>'
                        for number, (name, _) in zip(numbers, self.sheets))
        targets = "".join(f'<Relationship Id="rId{number}" Target="worksheets/sheet{number}.xml"/>'
                          for number in numbers)
        strings = "".join(f"<si><t>{escape(text)}</t></si>" if len(text) == 1 else
                          f"<si><r><t>{escape(text[:1])}</t></r><r><rPr/><t xml:space='preserve'>{escape(text[1:])}</t>"
                          "</r><rPh sb='0' eb='1'><t>not part of it</t></rPh></si>" for text in self.shared)
        return {
            "[Content_Types].xml": "<Types/>",
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{names}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f"<Relationships>{targets}</Relationships>",
            **({"xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{strings}</sst>'} if self.shared else {}),
            **{f"xl/worksheets/sheet{number}.xml": text for number, (_, text) in zip(numbers, self.sheets)},
        }


def zipped(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return out.getvalue()


def latencies(rows, headings=None, **options):
    """A file with a sheet of text before the sheet of figures."""
    book = Book(**options).add("Overview", [["Latencies of no CPU"], [], ["Ops", "of one instruction"]])
    return zipped(book.add("Latencies", [["Made up"], [], headings or HEADINGS, *rows]).members())


class Rows(ImportTest):
    def make(self, content, arch="ZEN4"):
        return self.make_model(self.write("Zen9_Latencies.xlsx", content), arch)

    def test_of_each_kind(self):
        said, rows = self.make(latencies(SHEET))
        self.assertRegex(said, r"\A[0-9]+ forms; left out: [0-9]+ measurements of the same form, "
                               r"2 instructions without a form, 1 without figures\n\Z")
        self.assertIn("\ntitle = AMD Zen 4, by AMD\nvendor = AMD\nyear = 2022\n", self.header)
        self.assertIn("\nsource = AMD, instruction latencies, Zen9_Latencies.xlsx\n", self.header)
        forms = self.forms_of([encoding for encoding, _, _ in EXPECTED])
        for encoding, form, expected in EXPECTED:
            self.assertEqual(forms[encoding], form)
            self.assertEqual("|".join(rows.get(form, ["no row"])), expected, form)
        self.check_model()
        self.assertFalse({"CPUID", "REP MOVSB m8, m8", "ADD r32, m64", "IMUL r32, r32, imm16"} & rows.keys())

    def test_ranges_are_fallbacks(self):
        self.make(latencies(SHEET))
        self.assertIn("match       exact\n", self.itrace("show", "toy", "ADD r64, r64")[1])
        self.assertIn("match       fallback\n", self.itrace("show", "toy", "DIV r64")[1])
        self.assertIn("match       fallback\n", self.itrace("show", "toy", "LEA r64, [b]")[1])

    def test_ways_to_store_texts(self):
        first = self.make(latencies(SHEET))
        for strings in ("inline", "plain"):
            self.assertEqual(self.make(latencies(SHEET, strings=strings)), first)

    def test_cells_without_places(self):
        book = Book().add("Latencies", [HEADINGS, *SHEET], with_places=False)
        self.assertEqual(self.make(zipped(book.members())), self.make(latencies(SHEET)))

    def test_columns_in_any_order(self):
        order = [11, 9, 4, 3, 2, 1, 0, 10, 8, 7, 6, 5]
        swapped = [[cells[column] for column in order] for cells in [HEADINGS, *SHEET]]
        self.assertEqual(self.make(latencies(swapped[1:], swapped[0])), self.make(latencies(SHEET)))

    def test_other_headings(self):
        headings = ["INSTRUCTION", "Operand 1", "Operand 2", "Operand 3", "Operand 4", "APM\nVol", "CPUID\nFlag",
                    "Macro\nOps", "Execution Unit", "Latency (cycles)", "Throughput (per cycle)", "Notes"]
        self.assertEqual(self.make(latencies(SHEET, headings)), self.make(latencies(SHEET)))

    def test_reciprocal_throughput(self):
        headings = [heading.replace("Throughput", "Reciprocal throughput") for heading in HEADINGS]
        _, rows = self.make(latencies([row("ADD", "reg64, reg64", 1, "ALU", 1, "0.25")], headings))
        self.assertEqual(rows, {"ADD r64, r64": ["1", "0.25", "1", "alu:1", ""]})

    def test_latency_alone(self):
        _, rows = self.make(zipped(Book().add("L", [["Mnemonic", "Op1", "Latency"], ["INC", "reg64", 1]]).members()))
        self.assertEqual(rows, {"INC r64": ["1", "", "", "", ""]})

    def test_several_sheets(self):
        book = Book().add("Integer", [HEADINGS, SHEET[0]]).add("Notes", [["None"]]).add("Vector", [HEADINGS, SHEET[25]])
        _, rows = self.make(zipped(book.members()))
        self.assertIn("ADD r64, r64", rows)
        self.assertIn("VADDPS ymm, ymm, m256", rows)

    def test_merged_instruction_cell(self):
        _, rows = self.make(latencies([row("INC", "reg32", 1, "ALU", 1, 4), row("", "reg64", 1, "ALU", 2, 4),
                                       ["Title of a section"], row("DEC", "reg64", 1, "ALU", 3, 4)]))
        self.assertEqual({form: cells[0] for form, cells in rows.items()},
                         {"INC r32": "1", "INC r64": "2", "DEC r64": "3"})

    def test_first_row_of_a_form_counts(self):
        said, rows = self.make(latencies([row("INC", "reg32", 1, "ALU", 1, 4), row("INC", "reg32", 1, "ALU", 2, 4)]))
        self.assertEqual(rows["INC r32"][0], "1")
        self.assertIn("left out: 1 measurements of the same form,", said)

    def test_figures(self):
        for latency, throughput, expected in (
                (0.5, 0.5, "0.5|2|"), ("2-3", "1", "2.5|1|range"), ("2 – 3", "1", "2.5|1|range"),
                ("~18", "1", "18|1|range"), ("18+", "1", "18|1|range"), ("up to 18", "1", "18|1|range"),
                ("3*", "1", "3|1|"), ("4/5", "1", "4.5|1|range"), ("7", "0.33333333333333331", "7|3|"),
                ("7", "1/3", "7|3|"), ("7", "1-2", "7|0.75|range"), ("7", "0", "7||"), ("7", "var", "7||"),
                ("variable", "2", "|0.5|"), ("-", "2", "|0.5|"), ("NA", "2", "|0.5|"), ("", "2", "|0.5|"),
                ("1E1", "2", "10|0.5|"), ("99999999", "2", "|0.5|"), ("7", "0.0000001", "7||"),
                ("7 | 9", "2", "|0.5|")):
            _, rows = self.make(latencies([row("INC", "reg32", 1, "ALU", latency, throughput)]))
            cells = rows["INC r32"]
            self.assertEqual("|".join([*cells[:2], cells[4]]), expected, (latency, throughput))

    def test_units(self):
        for unit, expected in (("FP0/FP1", "fp01:1"), ("FP0/1", "fp01:1"), ("FP0|FP1", "fp01:1"),
                               ("FP0, FP1", "fp0:1 fp1:1"), ("LD + ALU", "load:1 alu:1"), ("ALU, ALU", "alu:2"),
                               ("ALU0 or FP1", "alu0_fp1:1"),
                               ("NA", ""), ("-", ""), ("", ""), ("see note #3", ""), ("a|b c", "")):
            _, rows = self.make(latencies([row("INC", "reg32", 1, unit, 1, 1)]))
            self.assertEqual(rows["INC r32"][3], expected, unit)

    def test_unknown_cpu(self):
        self.make(latencies(SHEET), "NEW1")
        self.assertIn("\ntitle = NEW1, by AMD\nrank = throughput\n", self.header)

    def test_unknown_columns_are_said(self):
        said, rows = self.make(latencies([row("INC", "reg32", 1, "ALU", 1, 4, "why")],
                                         [*HEADINGS[:-1], "Wisdom \x85of the day"]))
        self.assertEqual(len(rows), 1)
        self.assertTrue(said.endswith("\nunused columns: Wisdom of the day\n"), said)

    def test_values_in_wrong_places(self):
        """Randomly swapped texts never give a wrong model."""
        chance, rows = random.Random(1), [list(cells) for cells in SHEET]
        for _ in range(30):
            for _ in range(10):
                (one, a), (other, b) = [(chance.choice(rows), chance.randrange(len(HEADINGS))) for _ in range(2)]
                one[a], other[b] = other[b], one[a]
            self.make_or_refuse(self.write("a.xlsx", latencies(rows)))

    def test_odd_names_stay_out_of_the_model(self):
        path = self.write("a#b\n|é.xlsx", latencies([row("INC", "reg32", 1, "ALU", 1, 4)]))
        self.make_model(path, "ZEN4")
        self.assertIn("\nsource = AMD, instruction latencies, a?b?|?.xlsx\n", self.header)


class Refused(ImportTest):
    def expect(self, content, message, name="a.xlsx"):
        path = self.write(name, content)
        self.assertEqual(self.refuse(path, "ZEN4"), f"{path}: {message}")

    def test_no_zip(self):
        message = "not an .xlsx spreadsheet: it is not a ZIP file or is incomplete"
        for content in ("", "Instruction;Latency\n", "PK\x03\x04"):
            self.expect(content, message)
        whole = latencies(SHEET)
        for part in (1, 2, 3):
            self.expect(whole[:len(whole) * part // 4], message)
        self.expect(whole[:100], message, name="no-suffix")

    def test_other_zip(self):
        self.expect(zipped({"a.txt": "a"}), "not an .xlsx spreadsheet: it is a ZIP file without xl/workbook.xml")
        self.expect(zipped({"guide.pdf": "", "Zen9.xlsx": latencies(SHEET)}),
                    "not an .xlsx spreadsheet: it is a ZIP file that holds Zen9.xlsx; unpack it and import that",
                    name="57647.zip")

    def test_file_not_found(self):
        self.assertEqual(self.refuse("/nonexistent/a.xlsx"),
                         "cannot read /nonexistent/a.xlsx: No such file or directory")

    def test_pipe(self):
        os.mkfifo(self.path("a.xlsx"))
        writer = os.open(self.path("a.xlsx"), os.O_RDWR)
        os.write(writer, b"PK\x03\x04")
        path = self.path("a.xlsx")
        self.assertEqual(self.refuse(path),
                         f"{path}: a spreadsheet cannot be read from a pipe; save it to a file first")
        os.close(writer)

    def test_no_headings(self):
        self.expect(latencies(SHEET, ["Name", *HEADINGS[1:]]), "no sheet has a row of headings with 'Instruction' and "
                    "'Latency'; its sheets are: Overview, Latencies")
        self.expect(zipped(Book().members()), "no sheet has a row of headings with 'Instruction' and 'Latency'; "
                    "its sheets are: none")
        book = Book().add("Far below", [["text"]] * 100 + [HEADINGS, SHEET[0]])
        self.expect(zipped(book.members()), "no sheet has a row of headings with 'Instruction' and 'Latency'; "
                    "its sheets are: Far below")

    def test_no_figures(self):
        self.expect(latencies([["ADD", "reg64"]], ["Instruction", "Op1", "Colour"]),
                    "sheet 'Latencies', row 3: no column 'Latency' or 'Throughput'; its columns are: Instruction, Op1, "
                    "Colour")
        self.expect(latencies([row("ADD", "reg64, reg64", 1, "ALU", "var", "-"), row("FOO", "what", 1, "ALU", 1, 1)]),
                    "no row has both an instruction that itrace has a form for and a figure")

    def test_damaged(self):
        members = Book().add("Latencies", [HEADINGS, *SHEET]).members()
        sheet, strings = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
        without = {name: text for name, text in members.items() if name != sheet}
        self.expect(zipped(without), f"damaged: it has no {sheet}")
        self.expect(zipped({**members, "xl/_rels/workbook.xml.rels": "<Relationships/>"}),
                    "damaged: no file belongs to its sheet 'Latencies'")
        self.expect(zipped({**members, strings: "<sst/>"}),
                    "damaged: a cell of row 1 names string '0', which does not exist")
        cut = members[sheet].index("</row>") + len("</row>")
        self.expect(zipped({**members, sheet: members[sheet][:cut]}),
                    f"damaged: cannot read {sheet} in it: no element found: line 1, column {cut}")
        self.expect(zipped({**members, strings: '<?xml version="1.0" encoding="x"?><sst/>'}),
                    f"damaged: cannot read {strings} in it: unknown encoding: x")

    def test_damaged_content(self):
        content = bytearray(latencies(SHEET))
        at = content.index(b"xl/worksheets/sheet2.xml") + 40
        content[at:at + 200] = bytes(200)
        path = self.write("a.xlsx", bytes(content))
        self.assertRegex(self.refuse(path), r"a\.xlsx: damaged: cannot read xl/worksheets/sheet2\.xml in it: ")

    def test_encrypted(self):
        content = bytearray(latencies(SHEET))
        entry = content.rindex(b"PK\x01\x02")
        content[entry + 8] |= 1
        header = content.rindex(b"PK\x03\x04")
        content[header + 6] |= 1
        path = self.write("a.xlsx", bytes(content))
        self.assertRegex(self.refuse(path), r"a\.xlsx: cannot read .* in it: .*encrypted")


if __name__ == "__main__":
    unittest.main()
