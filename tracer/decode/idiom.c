#include "base/array.h"
#include "decode/zydis_shared.h"

/* Instructions that some CPUs treat as independent of their sources if both sources are the same register. A double
 * shift is then a rotation. Each model lists the idioms of its CPU. Sources: Intel 64 and IA-32 Architectures
 * Optimization Reference Manual, "Clearing Registers and Dependency Breaking Idioms"; AMD, Software Optimization
 * Guide for Family 15h Processors, section 10.8; LLVM, IsZeroIdiomFunction and IsDepBreakingFunction in
 * lib/Target/X86/X86Sched*.td; for double shifts the uops.info paper (ASPLOS 2019). */
static const ZydisMnemonic idioms[] = {
	ZYDIS_MNEMONIC_XOR,
	ZYDIS_MNEMONIC_SUB,
	ZYDIS_MNEMONIC_SBB,
	ZYDIS_MNEMONIC_CMP,
	ZYDIS_MNEMONIC_SHLD,
	ZYDIS_MNEMONIC_SHRD,
	/* MMX and SSE: the result is all zeros, or all ones for PCMPEQ */
	ZYDIS_MNEMONIC_PXOR,
	ZYDIS_MNEMONIC_XORPS,
	ZYDIS_MNEMONIC_XORPD,
	ZYDIS_MNEMONIC_PANDN,
	ZYDIS_MNEMONIC_ANDNPS,
	ZYDIS_MNEMONIC_ANDNPD,
	ZYDIS_MNEMONIC_PSUBB,
	ZYDIS_MNEMONIC_PSUBW,
	ZYDIS_MNEMONIC_PSUBD,
	ZYDIS_MNEMONIC_PSUBQ,
	ZYDIS_MNEMONIC_PSUBSB,
	ZYDIS_MNEMONIC_PSUBSW,
	ZYDIS_MNEMONIC_PSUBUSB,
	ZYDIS_MNEMONIC_PSUBUSW,
	ZYDIS_MNEMONIC_PCMPGTB,
	ZYDIS_MNEMONIC_PCMPGTW,
	ZYDIS_MNEMONIC_PCMPGTD,
	ZYDIS_MNEMONIC_PCMPGTQ,
	ZYDIS_MNEMONIC_PCMPEQB,
	ZYDIS_MNEMONIC_PCMPEQW,
	ZYDIS_MNEMONIC_PCMPEQD,
	ZYDIS_MNEMONIC_PCMPEQQ,
	/* VEX and EVEX encodings of the same */
	ZYDIS_MNEMONIC_VPXOR,
	ZYDIS_MNEMONIC_VPXORD,
	ZYDIS_MNEMONIC_VPXORQ,
	ZYDIS_MNEMONIC_VXORPS,
	ZYDIS_MNEMONIC_VXORPD,
	ZYDIS_MNEMONIC_VPANDN,
	ZYDIS_MNEMONIC_VPANDND,
	ZYDIS_MNEMONIC_VPANDNQ,
	ZYDIS_MNEMONIC_VANDNPS,
	ZYDIS_MNEMONIC_VANDNPD,
	ZYDIS_MNEMONIC_VPSUBB,
	ZYDIS_MNEMONIC_VPSUBW,
	ZYDIS_MNEMONIC_VPSUBD,
	ZYDIS_MNEMONIC_VPSUBQ,
	ZYDIS_MNEMONIC_VPSUBSB,
	ZYDIS_MNEMONIC_VPSUBSW,
	ZYDIS_MNEMONIC_VPSUBUSB,
	ZYDIS_MNEMONIC_VPSUBUSW,
	ZYDIS_MNEMONIC_VPCMPGTB,
	ZYDIS_MNEMONIC_VPCMPGTW,
	ZYDIS_MNEMONIC_VPCMPGTD,
	ZYDIS_MNEMONIC_VPCMPGTQ,
	ZYDIS_MNEMONIC_VPCMPEQB,
	ZYDIS_MNEMONIC_VPCMPEQW,
	ZYDIS_MNEMONIC_VPCMPEQD,
	ZYDIS_MNEMONIC_VPCMPEQQ,
};

bool zydis_is_masked(const ZydisDecodedInstruction *insn)
{
	return insn->avx.mask.reg != ZYDIS_REGISTER_NONE && insn->avx.mask.reg != ZYDIS_REGISTER_K0;
}

bool zydis_is_idiom(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands)
{
	const ZydisDecodedOperand *first = NULL, *second = NULL; /* the last two, without mask and count */

	/* Merging depends on the destination, and no source lists a masked form. */
	if (zydis_is_masked(insn))
		return false;
	for (int i = 0; i < insn->operand_count_visible; i++) {
		if (operands[i].encoding == ZYDIS_OPERAND_ENCODING_MASK ||
		    operands[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ||
		    operands[i].visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT)
			continue; /* a write mask, or the count of a double shift */
		first = second;
		second = &operands[i];
	}
	if (!first || first->type != ZYDIS_OPERAND_TYPE_REGISTER || second->type != ZYDIS_OPERAND_TYPE_REGISTER ||
	    first->reg.value != second->reg.value)
		return false;
	for (size_t i = 0; i < ARRAY_LENGTH(idioms); i++)
		if (idioms[i] == insn->mnemonic)
			return true;
	return false;
}
