/* The forms of single instructions. The rows come from the manuals: Intel SDM vol. 2, AMD APM vol. 3 to 5. */
#include "decode/insn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "hex.h"

struct row {
	const char *hex;
	const char *text;
};

static const struct row integer_rows[] = {
	{"00 c8", "ADD r8, r8"},
	{"66 01 c8", "ADD r16, r16"},
	{"01 c8", "ADD r32, r32"},
	{"48 01 c8", "ADD r64, r64"},
	{"48 03 07", "ADD r64, m64"},
	{"48 01 07", "ADD m64, r64"},
	{"04 01", "ADD r8, imm8"},
	{"83 c1 01", "ADD r32, imm8"},
	{"05 00 00 00 01", "ADD r32, imm32"},
	{"81 c1 00 00 00 01", "ADD r32, imm32"},
	{"66 05 00 01", "ADD r16, imm16"},
	{"48 81 c1 00 00 00 01", "ADD r64, imm32"},
	{"80 07 01", "ADD m8, imm8"},
	{"66 81 07 00 01", "ADD m16, imm16"},
	{"b0 01", "MOV r8, imm8"},
	{"b8 01 00 00 00", "MOV r32, imm32"},
	{"48 b8 01 00 00 00 00 00 00 00", "MOV r64, imm64"},
	{"48 c7 c0 01 00 00 00", "MOV r64, imm32"},
	{"c7 07 01 00 00 00", "MOV m32, imm32"},
	{"89 d8", "MOV r32, r32"},
	{"89 c0", "MOV r32, r32"},
	{"8b d8", "MOV r32, r32"},
	{"64 48 8b 04 25 28 00 00 00", "MOV r64, m64"},
	{"48 8b 05 00 00 00 00", "MOV r64, m64"},
	{"8c d8", "MOV r32, sreg"},
	{"8e d8", "MOV sreg, r16"},
	{"8e 1f", "MOV sreg, m16"},
	{"0f 20 c0", "MOV r64, cr"},
	{"0f 23 c0", "MOV dr, r64"},
	{"0f b6 c1", "MOVZX r32, r8"},
	{"48 0f b7 07", "MOVZX r64, m16"},
	{"0f be 07", "MOVSX r32, m8"},
	{"48 63 c1", "MOVSXD r64, r32"},
	{"0f 44 c1", "CMOVZ r32, r32"},
	{"0f 94 c0", "SETZ r8"},
	{"0f 94 07", "SETZ m8"},
	{"f7 e1", "MUL r32"},
	{"48 f7 27", "MUL m64"},
	{"0f af c1", "IMUL r32, r32"},
	{"6b c1 05", "IMUL r32, r32, imm8"},
	{"48 69 07 00 01 00 00", "IMUL r64, m64, imm32"},
	{"48 f7 f1", "DIV r64"},
	{"99", "CDQ"},
	{"48 99", "CQO"},
	{"ff c0", "INC r32"},
	{"f0 ff 07", "LOCK INC m32"},
	{"0f c8", "BSWAP r32"},
	{"0f a3 c8", "BT r32, r32"},
	{"0f ba e0 03", "BT r32, imm8"},
	{"f3 0f b8 c1", "POPCNT r32, r32"},
	{"f2 0f 38 f0 c1", "CRC32 r32, r8"},
	{"f2 48 0f 38 f1 07", "CRC32 r64, m64"},
	{"0f 38 f0 07", "MOVBE r32, m32"},
	{"d1 e0", "SHL r32, 1"},
	{"c1 e0 05", "SHL r32, imm8"},
	{"d3 e0", "SHL r32, cl"},
	{"48 d3 2f", "SHR m64, cl"},
	{"0f a4 c8 05", "SHLD r32, r32, imm8"},
	{"0f a5 c8", "SHLD r32, r32, cl"},
	{"93", "XCHG r32, r32"},
	{"87 07", "XCHG m32, r32"},
	{"85 c0", "TEST r32, r32"},
	{"a8 01", "TEST r8, imm8"},
	{"50", "PUSH r64"},
	{"66 50", "PUSH r16"},
	{"6a 01", "PUSH imm8"},
	{"68 00 00 01 00", "PUSH imm32"},
	{"ff 37", "PUSH m64"},
	{"5d", "POP r64"},
	{"9c", "PUSHFQ"},
	{"66 9d", "POPF"},
	{"c9", "LEAVE"},
	{"c8 10 00 01", "ENTER imm16, imm8"},
	{"d7", "XLAT"},
	{"9f", "LAHF"},
	{"f8", "CLC"},
	{"0f a2", "CPUID"},
	{"0f 31", "RDTSC"},
	{"0f 01 f9", "RDTSCP"},
	{"0f c7 f0", "RDRAND r32"},
	{"0f c7 0f", "CMPXCHG8B m64"},
	{"f0 48 0f c7 0f", "LOCK CMPXCHG16B m128"},
	{"f0 0f b1 0f", "LOCK CMPXCHG m32, r32"},
	{"f0 0f c1 07", "LOCK XADD m32, r32"},
	{"f2 f0 0f c1 07", "LOCK XADD m32, r32"},
	{"0f c1 07", "XADD m32, r32"},
	{"0f 0b", "UD2"},
	{"f4", "HLT"},
	{"ec", "IN r8, dx"},
	{"e5 60", "IN r32, imm8"},
	{"66 ef", "OUT dx, r16"},
	{"e6 80", "OUT imm8, r8"},
};

/* With any REX prefix the numbers of AH, CH, DH and BH mean SPL, BPL, SIL and DIL. */
static const struct row high_byte_rows[] = {
	{"88 e0", "MOV r8, r8h"},	{"88 c4", "MOV r8h, r8"},	{"40 88 e0", "MOV r8, r8"},
	{"41 88 e0", "MOV r8, r8"},	{"8a 3f", "MOV r8h, m8"},	{"b4 01", "MOV r8h, imm8"},
	{"0f b6 c4", "MOVZX r32, r8h"}, {"0f b6 cc", "MOVZX r32, r8h"}, {"30 e4", "XOR r8h, r8h (same)"},
	{"0f 95 c4", "SETNZ r8h"},
};

static const struct row flow_rows[] = {
	{"eb 00", "JMP rel8"},
	{"e9 00 00 00 00", "JMP rel32"},
	{"f2 e9 00 00 00 00", "JMP rel32"},
	{"ff e0", "JMP r64"},
	{"3e ff e0", "JMP r64"},
	{"ff 25 00 00 00 00", "JMP m64"},
	{"66 ff 2f", "JMP m16:16"},
	{"ff 2f", "JMP m16:32"},
	{"48 ff 2f", "JMP m16:64"},
	{"e8 00 00 00 00", "CALL rel32"},
	{"ff d0", "CALL r64"},
	{"ff 17", "CALL m64"},
	{"ff 1f", "CALL m16:32"},
	{"c3", "RET"},
	{"f3 c3", "RET"},
	{"f2 c3", "RET"},
	{"c2 08 00", "RET imm16"},
	{"cb", "RETF"},
	{"ca 08 00", "RETF imm16"},
	{"48 cf", "IRETQ"},
	{"74 00", "JZ rel8"},
	{"2e 74 00", "JZ rel8"},
	{"0f 85 00 00 00 00", "JNZ rel32"},
	{"e2 fe", "LOOP rel8"},
	{"e3 fe", "JRCXZ rel8"},
	{"67 e3 fe", "JECXZ rel8"},
	{"0f 05", "SYSCALL"},
	{"cd 80", "INT imm8"},
	{"cc", "INT3"},
	{"f1", "INT1"},
	{"c7 f8 00 00 00 00", "XBEGIN rel32"},
	{"0f 01 d5", "XEND"},
	{"0f b2 0f", "LSS r32, m16:32"},
	{"48 0f b4 0f", "LFS r64, m16:64"},
	{"66 0f b5 0f", "LGS r16, m16:16"},
};

static const struct row string_rows[] = {
	{"a4", "MOVSB m8, m8"},
	{"f3 a4", "REP MOVSB m8, m8"},
	{"f2 a4", "REP MOVSB m8, m8"},
	{"f2 f3 a4", "REP MOVSB m8, m8"},
	{"66 a5", "MOVSW m16, m16"},
	{"f3 a5", "REP MOVSD m32, m32"},
	{"f3 48 a5", "REP MOVSQ m64, m64"},
	{"f3 67 a4", "REP MOVSB m8, m8"},
	{"f3 aa", "REP STOSB m8"},
	{"f3 48 ab", "REP STOSQ m64"},
	{"ac", "LODSB m8"},
	{"f3 ad", "REP LODSD m32"},
	{"a7", "CMPSD m32, m32"},
	{"f3 a6", "REPE CMPSB m8, m8"},
	{"f2 a6", "REPNE CMPSB m8, m8"},
	{"f2 ae", "REPNE SCASB m8"},
	{"f3 48 af", "REPE SCASQ m64"},
	{"f3 6c", "REP INSB m8, dx"},
	{"f2 6f", "REP OUTSD dx, m32"},
	{"6e", "OUTSB dx, m8"},
	/* the same mnemonics in SSE2 */
	{"f2 0f 10 c1", "MOVSD xmm, xmm"},
	{"f2 0f 10 07", "MOVSD xmm, m64"},
	{"f2 0f c2 c1 00", "CMPSD xmm, xmm, imm8"},
};

static const struct row nop_rows[] = {
	{"90", "NOP"},
	{"66 90", "NOP"},
	{"41 90", "XCHG r32, r32"},
	{"f3 90", "PAUSE"},
	{"0f 1f 00", "NOP m32, r32"},
	{"66 2e 0f 1f 84 00 00 00 00 00", "NOP m16, r16"},
	{"f3 0f 1e fa", "ENDBR64"},
	{"f3 0f 1e fb", "ENDBR32"},
	{"0f 0d 0f", "PREFETCHW m8"},
	{"0f 18 0f", "PREFETCHT0 m8"},
	{"0f ae e8", "LFENCE"},
	{"0f ae 3f", "CLFLUSH m512"},
	{"66 0f ae 3f", "CLFLUSHOPT m512"},
};

static const struct row lea_rows[] = {
	{"48 8d 07", "LEA r64, [b]"},
	{"48 8d 47 08", "LEA r64, [b+d]"},
	{"48 8d 87 00 01 00 00", "LEA r64, [b+d]"},
	{"8d 04 37", "LEA r32, [b+i]"},
	{"8d 44 37 08", "LEA r32, [b+i+d]"},
	{"48 8d 04 77", "LEA r64, [b+i*s]"},
	{"48 8d 44 f7 08", "LEA r64, [b+i*s+d]"},
	{"48 8d 04 75 00 00 00 00", "LEA r64, [i*s+d]"},
	{"48 8d 04 35 00 00 00 00", "LEA r64, [i+d]"},
	{"48 8d 05 00 00 00 00", "LEA r64, [rip+d]"},
	{"48 8d 04 25 00 00 00 00", "LEA r64, [d]"},
	{"48 8d 04 24", "LEA r64, [b]"},
	{"48 8d 45 00", "LEA r64, [b+d]"},
	{"4a 8d 04 27", "LEA r64, [b+i]"},
	{"66 8d 07", "LEA r16, [b]"},
	{"67 8d 04 37", "LEA r32, [b+i]"},
	{"67 41 8d 04 25 00 00 00 00", "LEA r32, [d]"},
	{"64 48 8d 07", "LEA r64, [b]"},
};

static const struct row moffs_rows[] = {
	{"a0 00 00 00 00 00 00 00 00", "MOV r8, moffs8"},
	{"66 a1 00 00 00 00 00 00 00 00", "MOV r16, moffs16"},
	{"a3 00 00 00 00 00 00 00 00", "MOV moffs32, r32"},
	{"48 a1 00 00 00 00 00 00 00 00", "MOV r64, moffs64"},
	{"67 a0 00 00 00 00", "MOV r8, moffs8"},
};

static const struct row x87_mmx_rows[] = {
	{"d8 c1", "FADD st, st"},
	{"dc c1", "FADD st, st"},
	{"d8 07", "FADD m32"},
	{"dc 07", "FADD m64"},
	{"d9 07", "FLD m32"},
	{"db 2f", "FLD m80"},
	{"db 3f", "FSTP m80"},
	{"df 2f", "FILD m64"},
	{"d9 c9", "FXCH st"},
	{"d9 e8", "FLD1"},
	{"d9 fe", "FSIN"},
	{"9b", "FWAIT"},
	{"df e0", "FNSTSW r16"},
	{"d9 2f", "FLDCW m16"},
	{"0f ae 07", "FXSAVE m4096"},
	{"0f 77", "EMMS"},
	{"0f fc c1", "PADDB mm, mm"},
	{"0f fc 07", "PADDB mm, m64"},
	{"0f 6e c1", "MOVD mm, r32"},
	{"0f ef c1", "PXOR mm, mm"},
	{"0f ef c0", "PXOR mm, mm (same)"},
	{"0f 71 f0 05", "PSLLW mm, imm8"},
	{"0f 0f c1 9e", "PFADD mm, mm"},
	{"0f 0f 07 b4", "PFMUL mm, m64"},
};

static const struct row sse_rows[] = {
	{"0f 58 c1", "ADDPS xmm, xmm"},
	{"0f 58 07", "ADDPS xmm, m128"},
	{"f3 0f 58 07", "ADDSS xmm, m32"},
	{"f2 0f 59 c1", "MULSD xmm, xmm"},
	{"66 0f 6f 07", "MOVDQA xmm, m128"},
	{"f3 0f 7f 07", "MOVDQU m128, xmm"},
	{"66 0f 6e c0", "MOVD xmm, r32"},
	{"66 48 0f 6e c0", "MOVQ xmm, r64"},
	{"f3 0f 7e 07", "MOVQ xmm, m64"},
	{"f2 48 0f 2a c0", "CVTSI2SD xmm, r64"},
	{"f2 0f 2c c1", "CVTTSD2SI r32, xmm"},
	{"66 0f d7 c1", "PMOVMSKB r32, xmm"},
	{"66 0f 70 c1 1b", "PSHUFD xmm, xmm, imm8"},
	{"66 0f 3a 0f c1 08", "PALIGNR xmm, xmm, imm8"},
	{"66 0f 38 00 07", "PSHUFB xmm, m128"},
	{"66 0f 38 14 c1", "BLENDVPS xmm, xmm"},
	{"66 0f 38 30 07", "PMOVZXBW xmm, m64"},
	{"66 0f 3a 16 c0 01", "PEXTRD r32, xmm, imm8"},
	{"66 0f 3a 63 c1 00", "PCMPISTRI xmm, xmm, imm8"},
	{"66 0f 38 dc c1", "AESENC xmm, xmm"},
	{"66 0f 3a 44 c1 00", "PCLMULQDQ xmm, xmm, imm8"},
	{"0f 38 cb c1", "SHA256RNDS2 xmm, xmm"},
	{"66 0f 71 d0 04", "PSRLW xmm, imm8"},
	{"66 0f e7 07", "MOVNTDQ m128, xmm"},
	{"0f c3 07", "MOVNTI m32, r32"},
	{"66 0f 79 c1", "EXTRQ xmm, xmm"},
	{"66 0f 78 c0 01 02", "EXTRQ xmm, imm8, imm8"},
	{"66 0f f7 c1", "MASKMOVDQU xmm, xmm"},
	{"0f ae 17", "LDMXCSR m32"},
};

static const struct row avx_rows[] = {
	{"c5 f0 58 c2", "VADDPS xmm, xmm, xmm"},
	{"c5 f4 58 c2", "VADDPS ymm, ymm, ymm"},
	{"c5 f4 58 07", "VADDPS ymm, ymm, m256"},
	{"c5 fc 28 c1", "VMOVAPS ymm, ymm"},
	{"c5 f8 77", "VZEROUPPER"},
	{"c5 f2 10 c2", "VMOVSS xmm, xmm, xmm"},
	{"c5 fa 10 07", "VMOVSS xmm, m32"},
	{"c4 e2 7d 18 07", "VBROADCASTSS ymm, m32"},
	{"c4 e3 7d 19 c1 01", "VEXTRACTF128 xmm, ymm, imm8"},
	{"c4 e3 71 4a c2 30", "VBLENDVPS xmm, xmm, xmm, xmm"},
	{"c4 e2 71 98 c2", "VFMADD132PS xmm, xmm, xmm"},
	{"c4 e2 f1 b9 07", "VFMADD231SD xmm, xmm, m64"},
	{"c4 e2 7d 13 07", "VCVTPH2PS ymm, m128"},
	{"c4 e2 75 2e 07", "VMASKMOVPS m256, ymm, ymm"},
	{"c4 e2 6d 92 04 0f", "VGATHERDPS ymm, vm32y, ymm"},
	{"c4 e2 ed 92 04 0f", "VGATHERDPD ymm, vm32x, ymm"},
	{"c4 e2 6d 93 04 0f", "VGATHERQPS xmm, vm64y, xmm"},
	{"c4 e2 e9 91 04 0f", "VPGATHERQQ xmm, vm64x, xmm"},
	{"c5 f5 fe c2", "VPADDD ymm, ymm, ymm"},
	{"c4 e3 fd 00 c1 1b", "VPERMQ ymm, ymm, imm8"},
	/* BMI, ADX */
	{"c4 e2 70 f2 c2", "ANDN r32, r32, r32"},
	{"c4 e2 f0 f3 c8", "BLSR r64, r64"},
	{"c4 e2 71 f7 c2", "SHLX r32, r32, r32"},
	{"c4 e2 f3 f6 c2", "MULX r64, r64, r64"},
	{"c4 e3 7b f0 c1 05", "RORX r32, r32, imm8"},
	{"f3 0f bc c1", "TZCNT r32, r32"},
	{"0f bc c1", "BSF r32, r32"},
	{"f3 48 0f bd 07", "LZCNT r64, m64"},
	{"66 0f 38 f6 c1", "ADCX r32, r32"},
	/* XOP and FMA4 */
	{"8f e8 78 c0 c1 05", "VPROTB xmm, xmm, imm8"},
	{"8f e9 70 90 c2", "VPROTB xmm, xmm, xmm"},
	{"c4 e3 71 68 c2 30", "VFMADDPS xmm, xmm, xmm, xmm"},
	{"c4 e3 71 49 c2 30", "VPERMIL2PD xmm, xmm, xmm, xmm, imm8"},
	/* AMX */
	{"c4 e2 7b 4b 04 0f", "TILELOADD tmm, m"},
	{"c4 e2 73 5e c2", "TDPBSSD tmm, tmm, tmm"},
	{"c4 e2 78 49 07", "LDTILECFG m512"},
};

static const struct row avx512_rows[] = {
	{"62 f1 74 48 58 c2", "VADDPS zmm, zmm, zmm"},
	{"62 f1 74 49 58 c2", "VADDPS zmm{k}, zmm, zmm"},
	{"62 f1 74 c9 58 c2", "VADDPS zmm{k}{z}, zmm, zmm"},
	{"62 f1 74 c9 58 07", "VADDPS zmm{k}{z}, zmm, m512"},
	{"62 f1 74 58 58 07", "VADDPS zmm, zmm, m32{1to16}"},
	{"62 f1 74 38 58 07", "VADDPS ymm, ymm, m32{1to8}"},
	{"62 f1 f5 18 58 07", "VADDPD xmm, xmm, m64{1to2}"},
	{"62 f1 f5 59 58 07", "VADDPD zmm{k}, zmm, m64{1to8}"},
	{"62 f1 74 18 58 c2", "VADDPS zmm, zmm, zmm{er}"},
	{"62 f1 74 99 58 c2", "VADDPS zmm{k}{z}, zmm, zmm{er}"},
	{"62 f1 74 18 5f c2", "VMAXPS zmm, zmm, zmm{sae}"},
	{"62 f1 76 18 58 c2", "VADDSS xmm, xmm, xmm{er}"},
	{"62 f1 74 18 c2 c2 00", "VCMPPS k, zmm, zmm{sae}, imm8"},
	{"62 f1 74 49 c2 c2 00", "VCMPPS k{k}, zmm, zmm, imm8"},
	{"62 f3 7d 18 08 c1 00", "VRNDSCALEPS zmm, zmm{sae}, imm8"},
	{"62 f1 f6 18 2a c0", "VCVTSI2SS xmm, xmm, r64{er}"},
	{"62 f1 7f 18 2d c1", "VCVTSD2SI r32, xmm{er}"},
	{"62 f1 7c 48 10 07", "VMOVUPS zmm, m512"},
	{"62 f1 7c 49 11 07", "VMOVUPS m512{k}, zmm"},
	{"62 f1 fe 48 6f 07", "VMOVDQU64 zmm, m512"},
	{"62 f2 7d 48 18 07", "VBROADCASTSS zmm, m32"},
	{"62 f2 7d 48 7c c0", "VPBROADCASTD zmm, r32"},
	{"62 f3 75 48 25 c2 ff", "VPTERNLOGD zmm, zmm, zmm, imm8"},
	{"62 f2 75 48 26 c2", "VPTESTMB k, zmm, zmm"},
	{"62 f2 7d 49 90 04 0f", "VPGATHERDD zmm{k}, vm32z"},
	{"62 f2 fd 49 90 04 0f", "VPGATHERDQ zmm{k}, vm32y"},
	{"62 f2 7d 29 91 04 0f", "VPGATHERQD xmm{k}, vm64y"},
	{"62 f2 7d 49 a2 04 0f", "VSCATTERDPS vm32z{k}, zmm"},
	{"62 f2 fd 49 a3 04 0f", "VSCATTERQPD vm64z{k}, zmm"},
	{"62 f2 fd 49 c6 4c 0f 01", "VGATHERPF0DPD vm32y{k}"},
	{"62 f2 7d 49 c7 74 0f 01", "VSCATTERPF1QPS vm64z{k}"},
	{"62 f2 7d 49 8b 07", "VPCOMPRESSD m512{k}, zmm"},
	{"62 f5 74 48 58 c2", "VADDPH zmm, zmm, zmm"},
	{"62 f5 74 58 58 07", "VADDPH zmm, zmm, m16{1to32}"},
	{"62 f1 fd 48 7a 07", "VCVTTPD2QQ zmm, m512"},
	{"c5 f8 92 c8", "KMOVW k, r32"},
	{"c5 f8 90 07", "KMOVW k, m16"},
	{"c5 ec 41 cb", "KANDW k, k, k"},
	{"c4 e1 f8 98 c1", "KORTESTQ k, k"},
	{"c4 e3 f9 32 c1 05", "KSHIFTLW k, k, imm8"},
};

/* Knights Corner: forms do not show swizzles, conversions and eviction hints. */
static const struct row knc_rows[] = {
	{"62 f1 70 08 58 c2", "VADDPS zmm, zmm, zmm"},	      {"62 f1 70 09 58 c2", "VADDPS zmm{k}, zmm, zmm"},
	{"62 f1 70 18 58 07", "VADDPS zmm, zmm, m32{1to16}"}, {"62 f1 70 28 58 07", "VADDPS zmm, zmm, m128{4to16}"},
	{"62 f1 70 38 58 07", "VADDPS zmm, zmm, m256"},	      {"62 f1 70 18 58 c2", "VADDPS zmm, zmm, zmm"},
};

static const struct row system_rows[] = {
	{"f3 48 0f 1e c8", "RDSSPQ r64"},
	{"f3 48 0f ae e8", "INCSSPQ r64"},
	{"f3 0f 01 ea", "SAVEPREVSSP"},
	{"f3 0f 01 2f", "RSTORSSP m64"},
	{"0f 38 f6 07", "WRSSD m32, r32"},
	{"66 0f 1a c1", "BNDMOV bnd, bnd"},
	{"f3 0f 1a 07", "BNDCL bnd, m"},
	{"f3 0f 1b 07", "BNDMK bnd, m"},
	{"0f 01 17", "LGDT m80"},
	{"0f 01 3f", "INVLPG m8"},
	{"0f ae 27", "XSAVE m4608"},
	{"f3 48 0f ae c0", "RDFSBASE r64"},
	{"f2 0f 38 f8 07", "ENQCMD r64, m512"},
};

/* Pairs of the idiom and the instruction with two different registers. */
static const struct row same_rows[] = {
	{"31 c0", "XOR r32, r32 (same)"},
	{"31 c8", "XOR r32, r32"},
	{"33 c0", "XOR r32, r32 (same)"},
	{"44 31 c0", "XOR r32, r32"},
	{"45 31 c9", "XOR r32, r32 (same)"},
	{"48 29 c0", "SUB r64, r64 (same)"},
	{"48 29 c8", "SUB r64, r64"},
	{"19 c0", "SBB r32, r32 (same)"},
	{"66 39 c0", "CMP r16, r16 (same)"},
	/* a double shift of one register is a rotation */
	{"48 0f a4 c0 07", "SHLD r64, r64, imm8 (same)"},
	{"0f a5 c9", "SHLD r32, r32, cl (same)"},
	{"66 0f ac db 01", "SHRD r16, r16, imm8 (same)"},
	{"4d 0f ad c0", "SHRD r64, r64, cl (same)"},
	{"48 0f a4 c8 07", "SHLD r64, r64, imm8"},
	{"0f a5 c8", "SHLD r32, r32, cl"},
	{"0f a4 00 07", "SHLD m32, r32, imm8"},
	{"39 c8", "CMP r32, r32"},
	{"01 c0", "ADD r32, r32"},
	{"11 c0", "ADC r32, r32"},
	{"33 00", "XOR r32, m32"},
	{"0f 57 c0", "XORPS xmm, xmm (same)"},
	{"0f 57 c1", "XORPS xmm, xmm"},
	{"66 0f ef c9", "PXOR xmm, xmm (same)"},
	{"66 0f 55 c0", "ANDNPD xmm, xmm (same)"},
	{"66 0f df c0", "PANDN xmm, xmm (same)"},
	{"66 0f db c0", "PAND xmm, xmm"},
	{"66 0f fb c0", "PSUBQ xmm, xmm (same)"},
	{"66 0f d9 c0", "PSUBUSW xmm, xmm (same)"},
	{"66 0f 76 c0", "PCMPEQD xmm, xmm (same)"},
	{"66 0f 38 37 c0", "PCMPGTQ xmm, xmm (same)"},
	{"66 0f 38 37 c1", "PCMPGTQ xmm, xmm"},
	/* only the sources of three operands must be equal */
	{"c5 f1 ef c1", "VPXOR xmm, xmm, xmm (same)"},
	{"c5 f9 ef c1", "VPXOR xmm, xmm, xmm"},
	{"c5 fd 57 c0", "VXORPD ymm, ymm, ymm (same)"},
	{"c5 f9 76 c0", "VPCMPEQD xmm, xmm, xmm (same)"},
	{"62 f1 75 48 ef c1", "VPXORD zmm, zmm, zmm (same)"},
	{"62 f1 75 48 ef c2", "VPXORD zmm, zmm, zmm"},
	{"62 b1 75 48 ef c1", "VPXORD zmm, zmm, zmm"},
	{"62 f1 75 48 64 c9", "VPCMPGTB k, zmm, zmm (same)"},
	{"62 f1 f5 28 df c1", "VPANDNQ ymm, ymm, ymm (same)"},
	{"62 f1 75 08 d9 c1", "VPSUBUSW xmm, xmm, xmm (same)"},
	{"62 f1 75 49 ef c1", "VPXORD zmm{k}, zmm, zmm"},
	{"62 f1 75 c9 ef c1", "VPXORD zmm{k}{z}, zmm, zmm"},
	{"62 f1 75 58 ef 01", "VPXORD zmm, zmm, m32{1to16}"},
};

static void check_rows(const struct row *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++) {
		uint8_t bytes[INSN_MAX_BYTES];
		size_t n_bytes = hex_parse(rows[i].hex, bytes, sizeof(bytes));
		struct insn insn;
		struct form form;

		form_of_bytes(bytes, n_bytes, &form);
		if (strcmp(form.text, rows[i].text) != 0)
			fail_msg("%s: expected '%s', is '%s'", rows[i].hex, rows[i].text, form.text);
		if (!insn_decode(bytes, n_bytes, &insn) || insn.length != n_bytes)
			fail_msg("%s: is not decoded whole", rows[i].hex);
	}
}

#define ROWS_TEST(name)                                             \
	static void test_##name(void **state)                       \
	{                                                           \
		(void)state;                                        \
		check_rows(name##_rows, ARRAY_LENGTH(name##_rows)); \
	}

ROWS_TEST(integer)
ROWS_TEST(high_byte)
ROWS_TEST(flow)
ROWS_TEST(string)
ROWS_TEST(nop)
ROWS_TEST(lea)
ROWS_TEST(moffs)
ROWS_TEST(x87_mmx)
ROWS_TEST(sse)
ROWS_TEST(avx)
ROWS_TEST(avx512)
ROWS_TEST(knc)
ROWS_TEST(system)
ROWS_TEST(same)

static void test_names(void **state)
{
	static const struct {
		const char *hex, *mnemonic, *category, *isa_extension;
	} rows[] = {
		{"48 01 c8", "ADD", "binary", "base"},
		{"f0 0f c1 07", "XADD", "semaphore", "base"},
		{"f3 a4", "MOVSB", "stringop", "base"},
		{"cb", "RETF", "ret", "base"},
		{"31 c0", "XOR", "logical", "base"},
		{"66 0f ef c1", "PXOR", "logical", "sse2"},
		{"c4 e2 71 98 c2", "VFMADD132PS", "vfma", "fma"},
		{"62 f1 74 c9 58 c2", "VADDPS", "avx512", "avx512evex"},
		{"d9 fe", "FSIN", "x87_alu", "x87"},
		{"f3 0f 1e fa", "ENDBR64", "cet", "cet"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		uint8_t bytes[INSN_MAX_BYTES];
		struct form form;

		form_of_bytes(bytes, hex_parse(rows[i].hex, bytes, sizeof(bytes)), &form);
		assert_string_equal(form.mnemonic, rows[i].mnemonic);
		assert_string_equal(form.category, rows[i].category);
		assert_string_equal(form.isa_extension, rows[i].isa_extension);
	}
}

static void test_undecodable(void **state)
{
	static const char *const rows[] = {
		"06",						   /* PUSH ES is not in 64-bit mode */
		"17",						   /* POP SS is not in 64-bit mode */
		"ce",						   /* INTO is not in 64-bit mode */
		"ea 00 00 00 00 00 00",				   /* JMP ptr16:32 is not in 64-bit mode */
		"f0 01 c8",					   /* LOCK wants memory */
		"f0 89 07",					   /* LOCK MOV */
		"0f ff",					   /* UD0 without its ModRM */
		"48",						   /* a prefix alone */
		"48 8b",					   /* cut */
		"e8 00 00 00",					   /* cut */
		"66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", /* 16 bytes */
		"c4 e2 75 92 0c 0f",				   /* VGATHERDPS whose mask is its index */
	};
	struct form form;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		uint8_t bytes[INSN_MAX_BYTES + 1];
		size_t n_bytes = hex_parse(rows[i], bytes, sizeof(bytes));

		form_of_bytes(bytes, n_bytes, &form);
		if (strcmp(form.text, "(undecodable)") != 0)
			fail_msg("%s is '%s'", rows[i], form.text);
		assert_string_equal(form.mnemonic, "(undecodable)");
		assert_string_equal(form.category, "(undecodable)");
		assert_string_equal(form.isa_extension, "(undecodable)");
	}
	form_of_bytes(NULL, 0, &form);
	assert_string_equal(form.text, "(undecodable)");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integer),	    cmocka_unit_test(test_high_byte), cmocka_unit_test(test_flow),
		cmocka_unit_test(test_string),	    cmocka_unit_test(test_nop),	      cmocka_unit_test(test_lea),
		cmocka_unit_test(test_moffs),	    cmocka_unit_test(test_x87_mmx),   cmocka_unit_test(test_sse),
		cmocka_unit_test(test_avx),	    cmocka_unit_test(test_avx512),    cmocka_unit_test(test_knc),
		cmocka_unit_test(test_system),	    cmocka_unit_test(test_same),      cmocka_unit_test(test_names),
		cmocka_unit_test(test_undecodable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
