"""Reads the cells of an .xlsx workbook (ECMA-376): XML files in a ZIP archive."""

import posixpath
import re
import xml.etree.ElementTree as ElementTree
import zipfile
import zlib

from cost_file import Failure

# Strict and transitional workbooks differ only in their namespaces. "{*}" matches any.
WORKBOOK = "xl/workbook.xml"
RELATIONS = "xl/_rels/workbook.xml.rels"
STRINGS = "xl/sharedStrings.xml"


def local_name(tag):
    return tag.rsplit("}", 1)[-1]


def string_text(element):
    """Returns the text of a string, which may have runs in several fonts, without phonetic hints."""
    runs = [element, *element.findall("{*}r")]
    return "".join(text.text or "" for run in runs for text in run.findall("{*}t"))


def column_number(reference):
    """Returns the column of a cell reference: 28 for "AB12"; None without letters."""
    letters = re.match("[A-Z]{1,3}", reference)
    number = 0
    for letter in letters[0] if letters else "":
        number = number * 26 + ord(letter) - ord("A") + 1
    return number or None


class Workbook:
    def __init__(self, file, path):
        self.path = path
        if not file.seekable():
            raise self.failure("a spreadsheet cannot be read from a pipe; save it to a file first")
        try:
            self.archive = zipfile.ZipFile(file)
        except zipfile.BadZipFile:
            raise self.failure("not an .xlsx spreadsheet: it is not a ZIP file or is incomplete") from None
        if WORKBOOK not in self.archive.namelist():
            raise self.failure("not an .xlsx spreadsheet: " + self.content_hint())
        self.strings = self.read_strings()

    def content_hint(self):
        inner = [name for name in self.archive.namelist() if name.lower().endswith(".xlsx")]
        if inner:
            return f"it is a ZIP file that holds {inner[0]}; unpack it and import that"
        return f"it is a ZIP file without {WORKBOOK}"

    def failure(self, text):
        return Failure(f"{self.path}: {text}")

    def elements(self, member, name):
        """Yields the elements of this name. Frees each element after use."""
        try:
            with self.archive.open(member) as file:
                for _, element in ElementTree.iterparse(file):
                    if local_name(element.tag) == name:
                        yield element
                        element.clear()
        except KeyError:
            raise self.failure(f"damaged: it has no {member}") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, LookupError, ValueError, ElementTree.ParseError) as error:
            raise self.failure(f"damaged: cannot read {member} in it: {error}") from None
        except (RuntimeError, NotImplementedError) as error:  # encrypted, or an unsupported compression
            raise self.failure(f"cannot read {member} in it: {error}") from None

    def read_strings(self):
        """Returns the strings that cells refer to by number."""
        if STRINGS not in self.archive.namelist():
            return []
        return [string_text(element) for element in self.elements(STRINGS, "si")]

    def sheets(self):
        """Yields pairs of a sheet's name and its rows, in the workbook's order."""
        targets = {relation.get("Id"): relation.get("Target", "")
                   for relation in self.elements(RELATIONS, "Relationship")}
        for sheet in self.elements(WORKBOOK, "sheet"):
            relation = next((value for name, value in sheet.items() if local_name(name) == "id"), None)
            target = targets.get(relation)
            if target is None:
                raise self.failure(f"damaged: no file belongs to its sheet '{sheet.get('name', '')}'")
            yield sheet.get("name", ""), self.rows(posixpath.normpath(posixpath.join("/xl", target)).lstrip("/"))

    def rows(self, member):
        """Yields the number of each row and a map from column to text, without empty cells. Numbers start at 1."""
        number = 0
        for row in self.elements(member, "row"):
            number = int(row.get("r")) if row.get("r", "").isdecimal() else number + 1
            cells, column = {}, 0
            for cell in row.findall("{*}c"):
                column = column_number(cell.get("r", "")) or column + 1
                text = " ".join(self.cell_text(cell, number).split())
                if text:
                    cells[column] = text
            yield number, cells

    def cell_text(self, cell, row_number):
        if cell.get("t") == "inlineStr":
            return "".join(string_text(element) for element in cell.findall("{*}is"))
        value = cell.findtext("{*}v") or ""
        if cell.get("t") != "s":
            return value
        if not value.isdecimal() or int(value) >= len(self.strings):
            raise self.failure(f"damaged: a cell of row {row_number} names string '{value:.40}', which does not exist")
        return self.strings[int(value)]
