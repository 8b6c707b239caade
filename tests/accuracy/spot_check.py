#!/usr/bin/env python3
"""Compares figures of the models with a second source: llvm-mca's own columns for instructions assembled here, 60
common forms on 5 CPUs. Exit status 77, a skip, without llvm-mca of the version that made the models.

tools/make-models takes its figures from another output of llvm-mca, after an encoding sweep and several choices. This
script checks that the result equals the figures that a user of llvm-mca sees.
"""
import argparse
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from child import run_well  # noqa: E402

SKIP = 77
LLVM_MCA = "llvm-mca-22"

# Model: llvm-mca's name. Not zen4, which has measured figures, too (hosts/).
CPUS = {"skylake": "skylake", "icelake": "icelake-server", "sapphirerapids": "sapphirerapids", "zen2": "znver2",
        "zen3": "znver3"}

INSTRUCTIONS = """
mov rax, rbx
mov eax, ebx
mov rax, [rsi]
mov [rdi], rax
mov [rdi], al
mov eax, 123456
movzx eax, bl
movzx eax, byte ptr [rsi]
movsxd rax, ebx
lea rax, [rbx + 8]
lea rax, [rbx + 4*rcx + 8]
add rax, rbx
add rax, [rsi]
add [rdi], rax
add rax, 1
adc rax, rbx
sub eax, ebx
and rax, rbx
or eax, [rsi]
xor eax, ebx
cmp rax, rbx
cmp byte ptr [rsi], 0
test eax, eax
inc rax
neg rax
imul rax, rbx
imul eax, ebx, 100
mul rbx
div ebx
idiv rbx
shl rax, 3
shr eax, cl
sar rax, 63
rol eax, 7
bt eax, 5
bsf eax, ebx
popcnt rax, rbx
lzcnt eax, ebx
tzcnt rax, rbx
andn eax, ebx, ecx
cmove eax, ebx
sete al
bswap rax
cdqe
jne 100
jmp 100
push rax
pop rax
movaps xmm0, xmm1
movups xmm0, [rsi]
movups [rdi], xmm0
addsd xmm0, xmm1
mulps xmm0, xmm1
divsd xmm0, xmm1
sqrtsd xmm0, xmm1
cvtsi2sd xmm0, eax
pshufd xmm0, xmm1, 27
paddd xmm0, [rsi]
vfmadd231ps ymm0, ymm1, ymm2
vpermd ymm0, ymm1, ymm2
""".strip().splitlines()


def mca(cpu):
    """(uops, latency, reciprocal throughput, encoding) of each instruction."""
    # Only the other syntax accepts a branch to a number.
    lines = [f".att_syntax\n{line}\n.intel_syntax noprefix" if line.startswith("j") else line for line in INSTRUCTIONS]
    output = run_well([LLVM_MCA, "--mtriple=x86_64", f"--mcpu={cpu}", "--instruction-tables", "--show-encoding"],
                      input=".intel_syntax noprefix\n" + "\n".join(lines) + "\n").stdout
    head, *table = output[output.index("[1]    [2]"):].split("\n\n")[0].splitlines()
    for line in table:
        uops, latency, throughput = line.split()[:3]
        encoding = line[head.index("Encodings:"):head.index("Instructions:")]
        yield int(uops), float(latency), float(throughput), encoding.replace(" ", "")


def itrace(program, *arguments, text=""):
    return run_well([program, "models", *arguments], input=text).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--itrace", default="build/itrace")
    options = parser.parse_args()
    if not shutil.which(LLVM_MCA):
        print(f"skipped: {LLVM_MCA} is not installed")
        return SKIP
    n_equal = n_different = 0
    for model, cpu in CPUS.items():
        rows = list(mca(cpu))
        assert len(rows) == len(INSTRUCTIONS) == 60, f"{len(rows)} rows of llvm-mca"
        lines = itrace(options.itrace, "form", "-", text="".join(f"{row[3]}\n" for row in rows)).splitlines()
        for instruction, (uops, latency, throughput, _), line in zip(INSTRUCTIONS, rows, lines):
            form = line.split("\t")[1]
            shown = dict(re.findall(r"^(\w+) +(.*)$", itrace(options.itrace, "show", model, form), re.MULTILINE))
            # llvm-mca rounds to two decimals.
            if (shown["match"] == "exact" and float(shown["latency"]) == latency and int(shown.get("uops", 0)) == uops
                    and abs(float(shown["throughput"]) - throughput) <= 0.0051):
                n_equal += 1
                continue
            n_different += 1
            print(f"{model}: {instruction}: {form}: {shown['match']} {shown.get('latency')} {shown.get('throughput')} "
                  f"{shown.get('uops')}; llvm-mca has {latency} {throughput} {uops}")
    print(f"{n_equal} equal, {n_different} different")
    return 1 if n_different else 0


if __name__ == "__main__":
    sys.exit(main())
