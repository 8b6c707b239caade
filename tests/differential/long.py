#!/usr/bin/env python3
"""Compares the engines, per instruction, transfer, address and order of execution, on programs of millions of
instructions. Takes half an hour, because each instruction is stepped. Not part of the tests.

    long.py --engines ENGINES [NAME ...]

Inputs that make runs differ are fixed: the address-space layout, seeds of hashes, the times of files.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

SQL = """
create table t(a integer primary key, b integer, c text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 60)
  insert into t select i, (i * 7919) % 103, 'x' || i from n;
create index ib on t(b);
select count(*), sum(b) from t where b % 7 = 3;
select substr(c, 1, 2), count(*) from t group by 1 order by 2 desc limit 3;
"""
PERL = "my %n; $n{$_ % 97} += $_ for 1 .. 3000; print join(' ', map { $n{$_} } sort keys %n), qq(\\n);"


def commands(folder):
    text, sql = os.path.join(folder, "text"), os.path.join(folder, "script.sql")
    with open(text, "w", encoding="utf-8") as file:
        file.write(" ".join(str(i * 7919 % 1009) for i in range(6000)))
    with open(sql, "w", encoding="utf-8") as file:
        file.write(SQL)
    return {
        "gzip": ["gzip", "-nc", text],
        "xz": ["xz", "-cT1", "-1", text],
        "perl": ["perl", "-e", PERL],
        "sqlite3": ["sqlite3", ":memory:", ".read " + sql],
        "python3": ["/usr/bin/python3", "-S", "-c", "pass"],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engines", required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "PYTHONHASHSEED": "0", "PERL_HASH_SEED": "0"}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, command in commands(folder).items():
            program = shutil.which(command[0], path=environment["PATH"])
            if not program or (options.names and name not in options.names):
                continue
            begin = time.monotonic()
            done = subprocess.run([options.engines, program, *command[1:]], env=environment, text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            failed += done.returncode != 0
            print(done.stdout.rstrip(), f"({time.monotonic() - begin:.0f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
