/* The text of a form. FORMS.md is the grammar. */
#include "decode/insn.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "decode/zydis_shared.h"

static const char *const register_texts[ZYDIS_REGCLASS_MAX_VALUE + 1] = {
	[ZYDIS_REGCLASS_GPR8] = "r8",	[ZYDIS_REGCLASS_GPR16] = "r16",	   [ZYDIS_REGCLASS_GPR32] = "r32",
	[ZYDIS_REGCLASS_GPR64] = "r64", [ZYDIS_REGCLASS_X87] = "st",	   [ZYDIS_REGCLASS_MMX] = "mm",
	[ZYDIS_REGCLASS_XMM] = "xmm",	[ZYDIS_REGCLASS_YMM] = "ymm",	   [ZYDIS_REGCLASS_ZMM] = "zmm",
	[ZYDIS_REGCLASS_TMM] = "tmm",	[ZYDIS_REGCLASS_SEGMENT] = "sreg", [ZYDIS_REGCLASS_CONTROL] = "cr",
	[ZYDIS_REGCLASS_DEBUG] = "dr",	[ZYDIS_REGCLASS_MASK] = "k",	   [ZYDIS_REGCLASS_BOUND] = "bnd",
};

static const char *const broadcast_texts[ZYDIS_BROADCAST_MODE_MAX_VALUE + 1] = {
	[ZYDIS_BROADCAST_MODE_1_TO_2] = "{1to2}",   [ZYDIS_BROADCAST_MODE_1_TO_4] = "{1to4}",
	[ZYDIS_BROADCAST_MODE_1_TO_8] = "{1to8}",   [ZYDIS_BROADCAST_MODE_1_TO_16] = "{1to16}",
	[ZYDIS_BROADCAST_MODE_1_TO_32] = "{1to32}", [ZYDIS_BROADCAST_MODE_1_TO_64] = "{1to64}",
	[ZYDIS_BROADCAST_MODE_2_TO_4] = "{2to4}",   [ZYDIS_BROADCAST_MODE_2_TO_8] = "{2to8}",
	[ZYDIS_BROADCAST_MODE_2_TO_16] = "{2to16}", [ZYDIS_BROADCAST_MODE_4_TO_8] = "{4to8}",
	[ZYDIS_BROADCAST_MODE_4_TO_16] = "{4to16}", [ZYDIS_BROADCAST_MODE_8_TO_16] = "{8to16}",
};

/* A text that is being written. A test over the whole instruction set shows that the buffer is large enough. */
struct writer {
	char *at;
	const char *end; /* one past the last byte, which is kept for the NUL */
};

static void append(struct writer *writer, const char *text)
{
	size_t length = strlen(text);

	assert(length < (size_t)(writer->end - writer->at));
	memcpy(writer->at, text, length + 1);
	writer->at += length;
}

static void append_number(struct writer *writer, unsigned int number)
{
	char digits[12];
	char *first = &digits[sizeof(digits) - 1];

	*first = '\0';
	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	append(writer, first);
}

/* Converts ASCII letters only, independent of the locale. first_letter: 'A' for upper case, 'a' for lower case. */
static void copy_in_case(char *out, size_t out_bytes, const char *text, char first_letter)
{
	const char other_case = first_letter ^ 'A' ^ 'a';
	size_t i;

	for (i = 0; text[i] && i + 1 < out_bytes; i++) {
		bool is_other = text[i] >= other_case && text[i] < other_case + 26;

		out[i] = (char)(is_other ? text[i] ^ 'A' ^ 'a' : text[i]);
	}
	out[i] = '\0';
}

static bool is_shown(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operand)
{
	if (operand->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN)
		/* a write mask is a decoration of the first operand */
		return operand->encoding != ZYDIS_OPERAND_ENCODING_MASK;
	/* Zydis marks all operands of string instructions as hidden. The manuals write MOVS m8, m8 and INS m8, DX. */
	return zydis_is_string(insn) &&
	       (operand->type == ZYDIS_OPERAND_TYPE_MEMORY ||
		(operand->type == ZYDIS_OPERAND_TYPE_REGISTER && operand->reg.value == ZYDIS_REGISTER_DX));
}

static void append_register(struct writer *writer, const ZydisDecodedOperand *operand)
{
	ZydisRegister reg = operand->reg.value;
	const char *text = register_texts[ZydisRegisterGetClass(reg)];

	if (operand->visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
	    (reg == ZYDIS_REGISTER_CL || reg == ZYDIS_REGISTER_DX))
		text = ZydisRegisterGetString(reg); /* shift counts and port numbers */
	else if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
		text = "r8h";
	append(writer, text ? text : ZydisRegisterGetString(reg));
}

/* The parts of the address come from the encoding, because Zydis 4.0 reports R13D as base if mod is 0 and there is no
 * base. */
static void append_address_shape(struct writer *writer, const ZydisDecodedInstruction *insn,
				 const ZydisDecodedOperand *operand)
{
	bool has_sib = insn->attributes & ZYDIS_ATTRIB_HAS_SIB;
	const char *plus = "";

	append(writer, "[");
	if (insn->raw.modrm.mod == 0 && insn->raw.modrm.rm == 5) {
		append(writer, "rip");
		plus = "+";
	} else if (!has_sib || insn->raw.modrm.mod != 0 || insn->raw.sib.base != 5) {
		append(writer, "b");
		plus = "+";
	}
	if (operand->mem.index != ZYDIS_REGISTER_NONE) {
		append(writer, plus);
		append(writer, operand->mem.scale > 1 ? "i*s" : "i");
		plus = "+";
	}
	if (insn->raw.disp.size) {
		append(writer, plus);
		append(writer, "d");
	}
	append(writer, "]");
}

/* Returns the width of each index of a gather or scatter: D, or Q if the letter after the verb is Q, as in VPGATHERQD
 * or VSCATTERPF0QPS. */
static const char *index_width(ZydisMnemonic mnemonic)
{
	const char *name = ZydisMnemonicGetString(mnemonic);
	const char *verb = strstr(name, "gather");

	name = verb ? verb + strlen("gather") : strstr(name, "scatter") + strlen("scatter");
	if (strncmp(name, "pf", 2) == 0)
		name += strlen("pf0");
	return *name == 'q' ? "64" : "32";
}

static void append_memory(struct writer *writer, const ZydisDecodedInstruction *insn,
			  const ZydisDecodedOperand *operand)
{
	if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
		ZydisRegisterClass index = ZydisRegisterGetClass(operand->mem.index);

		append(writer, "vm");
		append(writer, index_width(insn->mnemonic));
		append(writer, index == ZYDIS_REGCLASS_XMM ? "x" : index == ZYDIS_REGCLASS_YMM ? "y" : "z");
	} else if (insn->mnemonic == ZYDIS_MNEMONIC_LEA) {
		append_address_shape(writer, insn, operand);
	} else if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN || !operand->size) {
		append(writer, "m");
	} else if (operand->encoding == ZYDIS_OPERAND_ENCODING_DISP16_32_64) {
		append(writer, "moffs");
		append_number(writer, operand->size);
	} else if (insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR || insn->meta.category == ZYDIS_CATEGORY_SEGOP) {
		append(writer, "m16:");
		append_number(writer, operand->size - 16u);
	} else {
		append(writer, "m");
		append_number(writer, operand->size);
	}
	if (insn->avx.broadcast.mode && !insn->avx.broadcast.is_static)
		append(writer, broadcast_texts[insn->avx.broadcast.mode]);
}

static void append_immediate(struct writer *writer, const ZydisDecodedInstruction *insn,
			     const ZydisDecodedOperand *operand, size_t *n_encoded)
{
	if (operand->encoding == ZYDIS_OPERAND_ENCODING_NONE) {
		append(writer, "1"); /* of the D0 and D1 shifts */
		return;
	}
	assert(*n_encoded < ARRAY_LENGTH(insn->raw.imm));
	append(writer, operand->imm.is_relative ? "rel" : "imm");
	append_number(writer, insn->raw.imm[(*n_encoded)++].size);
}

static void append_operands(struct writer *writer, const ZydisDecodedInstruction *insn,
			    const ZydisDecodedOperand *operands)
{
	bool is_evex = insn->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
	const char *rounding = insn->avx.rounding.mode ? "{er}" : insn->avx.has_sae ? "{sae}" : "";
	const char *separator = " ";
	size_t n_immediates = 0;
	int last_value = -1; /* index of the operand after which the rounding is written */

	for (int i = 0; i < insn->operand_count; i++)
		if (is_shown(insn, &operands[i]) && operands[i].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
			last_value = i;
	for (int i = 0; i < insn->operand_count; i++) {
		if (!is_shown(insn, &operands[i]))
			continue;
		append(writer, separator);
		separator = ", ";
		switch (operands[i].type) {
		case ZYDIS_OPERAND_TYPE_REGISTER:
			append_register(writer, &operands[i]);
			break;
		case ZYDIS_OPERAND_TYPE_MEMORY:
			append_memory(writer, insn, &operands[i]);
			break;
		default:
			/* 64-bit mode has no direct far pointers, so only immediates are left. */
			append_immediate(writer, insn, &operands[i], &n_immediates);
			break;
		}
		if (i == 0 && zydis_is_masked(insn))
			append(writer, is_evex && insn->raw.evex.z ? "{k}{z}" : "{k}");
		if (i == last_value)
			append(writer, rounding);
	}
}

static const char *mnemonic_of(const ZydisDecodedInstruction *insn)
{
	/* Zydis names near and far returns RET. The rest of the text is the same for both. */
	if (insn->mnemonic == ZYDIS_MNEMONIC_RET && insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return "retf";
	return ZydisMnemonicGetString(insn->mnemonic);
}

static const char *prefix_of(const ZydisDecodedInstruction *insn)
{
	uint8_t repeat = zydis_repeat_prefix(insn);

	if (insn->attributes & ZYDIS_ATTRIB_HAS_LOCK)
		return "LOCK ";
	if (!repeat)
		return "";
	if (insn->attributes & ZYDIS_ATTRIB_ACCEPTS_REPE)
		return repeat == 0xf2 ? "REPNE " : "REPE ";
	return "REP "; /* for MOVS, STOS, LODS, INS and OUTS both prefixes do the same */
}

void form_of_bytes(const uint8_t *bytes, size_t n_bytes, struct form *out)
{
	struct writer writer = {.at = out->text, .end = out->text + sizeof(out->text)};
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;

	if (!zydis_decode(bytes, n_bytes, &insn, operands)) {
		copy_in_case(out->text, sizeof(out->text), UNDECODABLE_TEXT, 'a');
		copy_in_case(out->mnemonic, sizeof(out->mnemonic), UNDECODABLE_TEXT, 'a');
		copy_in_case(out->category, sizeof(out->category), UNDECODABLE_TEXT, 'a');
		copy_in_case(out->isa_extension, sizeof(out->isa_extension), UNDECODABLE_TEXT, 'a');
		return;
	}
	copy_in_case(out->mnemonic, sizeof(out->mnemonic), mnemonic_of(&insn), 'A');
	copy_in_case(out->category, sizeof(out->category), ZydisCategoryGetString(insn.meta.category), 'a');
	copy_in_case(out->isa_extension, sizeof(out->isa_extension), ZydisISAExtGetString(insn.meta.isa_ext), 'a');
	append(&writer, prefix_of(&insn));
	append(&writer, out->mnemonic);
	append_operands(&writer, &insn, operands);
	if (zydis_is_idiom(&insn, operands))
		append(&writer, " (same)");
}
