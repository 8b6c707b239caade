"""A .cost file (costmodels/data/FORMAT.md) that an importer fills row by row."""

import re

MAX_ROWS = 100_000  # six times the forms of the largest instruction set
MAX_FORM_BYTES = 127  # FORM_TEXT_BYTES of tracer/decode/insn.h
MAX_CYCLES = 1_000_000  # of the format

# CPUs by their names at uops.info: title, vendor, and the year of introduction.
CPUS = {
    "CON": ("Intel Conroe", "Intel", 2006),
    "WOL": ("Intel Wolfdale", "Intel", 2008),
    "NHM": ("Intel Nehalem", "Intel", 2008),
    "WSM": ("Intel Westmere", "Intel", 2010),
    "SNB": ("Intel Sandy Bridge", "Intel", 2011),
    "IVB": ("Intel Ivy Bridge", "Intel", 2012),
    "HSW": ("Intel Haswell", "Intel", 2013),
    "BDW": ("Intel Broadwell", "Intel", 2014),
    "SKL": ("Intel Skylake", "Intel", 2015),
    "SKX": ("Intel Skylake-X", "Intel", 2017),
    "KBL": ("Intel Kaby Lake", "Intel", 2016),
    "CFL": ("Intel Coffee Lake", "Intel", 2017),
    "CNL": ("Intel Cannon Lake", "Intel", 2018),
    "CLX": ("Intel Cascade Lake", "Intel", 2019),
    "ICL": ("Intel Ice Lake", "Intel", 2019),
    "TGL": ("Intel Tiger Lake", "Intel", 2020),
    "RKL": ("Intel Rocket Lake", "Intel", 2021),
    "ADL-P": ("Intel Alder Lake (P-core)", "Intel", 2021),
    "ADL-E": ("Intel Alder Lake (E-core)", "Intel", 2021),
    "BNL": ("Intel Bonnell", "Intel", 2008),
    "AMT": ("Intel Airmont", "Intel", 2015),
    "GLM": ("Intel Goldmont", "Intel", 2016),
    "GLP": ("Intel Goldmont Plus", "Intel", 2017),
    "TRM": ("Intel Tremont", "Intel", 2020),
    "ZEN+": ("AMD Zen+", "AMD", 2018),
    "ZEN2": ("AMD Zen 2", "AMD", 2019),
    "ZEN3": ("AMD Zen 3", "AMD", 2020),
    "ZEN4": ("AMD Zen 4", "AMD", 2022),
    "ZEN5": ("AMD Zen 5", "AMD", 2024),
}


class Failure(Exception):
    """The import failed. The text is a message for the user."""


def milli_text(value):
    """Formats thousandths: 333 as "0.333", 2000 as "2"."""
    return f"{value // 1000}.{value % 1000:03}".rstrip("0").rstrip(".")


class CostFile:
    """The rows, and the numbers of inputs without a row."""

    def __init__(self, maker, source):
        self.maker = maker  # of the figures, for the title
        self.source = source
        self.rows = {}  # form to (cells, is_special)
        self.n_same_form = 0  # further measurements of a form with a row
        self.n_no_form = 0  # instructions without a form
        self.n_no_figures = 0  # instructions with a form but without figures
        self.notes = []  # further messages for the user

    def add(self, form, cells, is_special):
        """Adds a row unless the form has one. A special row, of a certain register or a guessed width, is replaced by
        one that is not special."""
        if form in self.rows:
            self.n_same_form += 1
            if is_special or not self.rows[form][1]:
                return
        elif len(self.rows) == MAX_ROWS:
            raise Failure(f"{self.source}: more than {MAX_ROWS} forms; no CPU has as many")
        self.rows[form] = (cells, is_special)

    def messages(self):
        """Returns messages for the user."""
        text = (f"{len(self.rows)} forms; left out: {self.n_same_form} measurements of the same form, "
                f"{self.n_no_form} instructions without a form")
        return [text + (f", {self.n_no_figures} without figures" if self.n_no_figures else ""), *self.notes]

    def text(self, name, architecture):
        title, *known = CPUS.get(architecture, (architecture,))
        lines = ["itrace-cost-model 1", "# Made by 'itrace models import'.", f"name = {name}",
                 f"title = {title}, by {self.maker}"]
        if known:
            lines += [f"vendor = {known[0]}", f"year = {known[1]}"]
        source = re.sub("[^ -~]|#", "?", self.source)
        lines += ["rank = throughput", f"source = {source}", "[forms]",
                  "# form | latency | throughput | uops | ports | flags | fused | latencies"]
        lines += [f"{form} | {' | '.join(cells)}" for form, (cells, _) in sorted(self.rows.items())]
        return "\n".join(lines) + "\n"
