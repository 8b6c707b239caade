#include "decode/insn_operands.h"

#include "base/array.h"
#include "decode/zydis_shared.h"

/* The flags of an instruction that reads them all: CF, PF, AF, ZF, SF, DF, OF. */
#define ALL_FLAGS 0xcd5

/* The change of the top of the x87 stack, which Zydis does not give. Source: Intel SDM vol. 2. */
static const struct {
	ZydisMnemonic mnemonic;
	int8_t pushes;
} st_moves[] = {
	{ZYDIS_MNEMONIC_FLD, 1},      {ZYDIS_MNEMONIC_FILD, 1},	    {ZYDIS_MNEMONIC_FBLD, 1},
	{ZYDIS_MNEMONIC_FLD1, 1},     {ZYDIS_MNEMONIC_FLDZ, 1},	    {ZYDIS_MNEMONIC_FLDPI, 1},
	{ZYDIS_MNEMONIC_FLDL2E, 1},   {ZYDIS_MNEMONIC_FLDL2T, 1},   {ZYDIS_MNEMONIC_FLDLG2, 1},
	{ZYDIS_MNEMONIC_FLDLN2, 1},   {ZYDIS_MNEMONIC_FPTAN, 1},    {ZYDIS_MNEMONIC_FSINCOS, 1},
	{ZYDIS_MNEMONIC_FXTRACT, 1},  {ZYDIS_MNEMONIC_FDECSTP, 1},  {ZYDIS_MNEMONIC_FINCSTP, -1},
	{ZYDIS_MNEMONIC_FSTP, -1},    {ZYDIS_MNEMONIC_FISTP, -1},   {ZYDIS_MNEMONIC_FISTTP, -1},
	{ZYDIS_MNEMONIC_FBSTP, -1},   {ZYDIS_MNEMONIC_FSTPNCE, -1}, {ZYDIS_MNEMONIC_FFREEP, -1},
	{ZYDIS_MNEMONIC_FADDP, -1},   {ZYDIS_MNEMONIC_FSUBP, -1},   {ZYDIS_MNEMONIC_FSUBRP, -1},
	{ZYDIS_MNEMONIC_FMULP, -1},   {ZYDIS_MNEMONIC_FDIVP, -1},   {ZYDIS_MNEMONIC_FDIVRP, -1},
	{ZYDIS_MNEMONIC_FCOMP, -1},   {ZYDIS_MNEMONIC_FUCOMP, -1},  {ZYDIS_MNEMONIC_FICOMP, -1},
	{ZYDIS_MNEMONIC_FCOMIP, -1},  {ZYDIS_MNEMONIC_FUCOMIP, -1}, {ZYDIS_MNEMONIC_FPATAN, -1},
	{ZYDIS_MNEMONIC_FYL2X, -1},   {ZYDIS_MNEMONIC_FYL2XP1, -1}, {ZYDIS_MNEMONIC_FCOMPP, -2},
	{ZYDIS_MNEMONIC_FUCOMPP, -2},
};

static struct insn_register register_of(ZydisRegister reg)
{
	struct insn_register out = {.bits = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg)};
	ZydisRegister whole = reg;

	if (reg == ZYDIS_REGISTER_X87STATUS) { /* Zydis gives the x87 status word no register class */
		out.file = REGISTER_X87_STATUS;
		return out;
	}
	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_INVALID:
		return (struct insn_register){.file = REGISTER_NONE};
	case ZYDIS_REGCLASS_GPR8:
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		out.file = REGISTER_GENERAL;
		out.first_bit = reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH ? 8 : 0;
		whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
		break;
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM:
		out.file = REGISTER_VECTOR;
		break;
	case ZYDIS_REGCLASS_MMX:
		out.file = REGISTER_MMX;
		break;
	case ZYDIS_REGCLASS_X87:
		out.file = REGISTER_ST;
		break;
	case ZYDIS_REGCLASS_MASK:
		out.file = REGISTER_MASK;
		break;
	case ZYDIS_REGCLASS_FLAGS:
		out.file = REGISTER_FLAGS;
		return out;
	case ZYDIS_REGCLASS_IP:
		out.file = REGISTER_IP;
		return out;
	default:
		out.file = REGISTER_OTHER;
		return out;
	}
	out.number = (uint8_t)ZydisRegisterGetId(whole);
	return out;
}

static void set_add(struct insn_register_set *set, struct insn_register reg, uint32_t flags)
{
	switch (reg.file) {
	case REGISTER_GENERAL:
		set->general |= (uint16_t)(1u << reg.number);
		break;
	case REGISTER_VECTOR:
		set->vector |= 1u << reg.number;
		break;
	case REGISTER_MMX:
		set->mmx |= (uint8_t)(1u << reg.number);
		break;
	case REGISTER_ST:
		set->st |= (uint8_t)(1u << reg.number);
		break;
	case REGISTER_MASK:
		set->mask |= (uint8_t)(1u << reg.number);
		break;
	case REGISTER_FLAGS:
		set->flags |= flags;
		break;
	case REGISTER_X87_STATUS:
		set->x87_status = true;
		break;
	default:
		break;
	}
}

static uint32_t flags_read(const ZydisAccessedFlags *flags)
{
	return flags && flags->tested ? flags->tested : ALL_FLAGS;
}

static uint32_t flags_written(const ZydisAccessedFlags *flags)
{
	return flags ? flags->modified | flags->set_0 | flags->set_1 | flags->undefined : ALL_FLAGS;
}

static void add_register(struct insn_operands *out, const ZydisDecodedInstruction *insn, struct insn_operand *operand,
			 ZydisRegister reg)
{
	operand->kind = OPERAND_REGISTER;
	operand->reg = register_of(reg);
	/* Zydis says that FNSTSW writes the status word, but FNSTSW reads it. */
	if (operand->reg.file == REGISTER_X87_STATUS && insn->mnemonic == ZYDIS_MNEMONIC_FNSTSW) {
		operand->is_read = true;
		operand->is_written = false;
	}
	if (operand->is_read)
		set_add(&out->read, operand->reg, flags_read(insn->cpu_flags));
	if (operand->is_written)
		set_add(&out->written, operand->reg, flags_written(insn->cpu_flags));
	if (operand->is_written && operand->is_hidden && operand->reg.file == REGISTER_GENERAL &&
	    operand->reg.number == GENERAL_RSP)
		out->moves_stack = true;
}

static void add_memory(struct insn_operands *out, const ZydisDecodedInstruction *insn, struct insn_operand *operand,
		       const ZydisDecodedOperandMem *memory)
{
	operand->kind = OPERAND_MEMORY;
	if (insn->mnemonic == ZYDIS_MNEMONIC_NOP)
		operand->is_read = false;
	operand->segment = memory->segment == ZYDIS_REGISTER_FS	  ? SEGMENT_FS
			   : memory->segment == ZYDIS_REGISTER_GS ? SEGMENT_GS
								  : SEGMENT_FLAT;
	operand->base = register_of(memory->base);
	/* Zydis 4.0 reports R13D as base if mod is 0 and there is no base. */
	if ((insn->attributes & ZYDIS_ATTRIB_HAS_SIB) && insn->raw.modrm.mod == 0 && insn->raw.sib.base == 5 &&
	    !operand->is_hidden)
		operand->base = (struct insn_register){.file = REGISTER_NONE};
	operand->index = register_of(memory->index);
	operand->scale = operand->index.file == REGISTER_NONE ? 0 : memory->scale;
	operand->displacement = memory->disp.has_displacement ? memory->disp.value : 0;
	if (operand->base.file == REGISTER_GENERAL)
		out->address |= (uint16_t)(1u << operand->base.number);
	if (operand->index.file == REGISTER_GENERAL)
		out->address |= (uint16_t)(1u << operand->index.number);
	else
		set_add(&out->read, operand->index, 0); /* a gather's vector of indices */
	out->reads_memory |= operand->is_read;
	out->writes_memory |= operand->is_written;
}

static void add_operand(struct insn_operands *out, const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *from)
{
	struct insn_operand *operand = &out->operands[out->n_operands++];

	operand->is_read = from->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	operand->is_written = from->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	operand->is_hidden = from->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
	operand->bits = from->size;
	switch (from->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		add_register(out, insn, operand, from->reg.value);
		break;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		add_memory(out, insn, operand, &from->mem);
		break;
	default:
		operand->kind = OPERAND_IMMEDIATE; /* 64-bit mode has no direct far pointers */
		break;
	}
}

static enum insn_encoding encoding_of(const ZydisDecodedInstruction *insn)
{
	return insn->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY ? ENCODING_LEGACY
	       : insn->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX  ? ENCODING_VEX
	       : insn->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ? ENCODING_EVEX
								   : ENCODING_OTHER;
}

static void count_bytes(struct insn_operands *out, const ZydisDecodedInstruction *insn)
{
	out->displacement_bytes = insn->raw.disp.size / 8;
	for (size_t i = 0; i < ARRAY_LENGTH(insn->raw.imm); i++) {
		if (insn->raw.imm[i].is_relative)
			out->relative_bytes += insn->raw.imm[i].size / 8;
		else
			out->immediate_bytes += insn->raw.imm[i].size / 8;
	}
	for (uint8_t i = 0; i < insn->raw.prefix_count; i++) {
		uint8_t value = insn->raw.prefixes[i].value;

		if ((value & 0xf0) == 0x40) {
			out->has_rex = true;
			continue;
		}
		out->n_prefixes++;
		out->has_address_size_prefix |= value == 0x67;
	}
	out->is_repeated = zydis_repeat_prefix(insn) != 0;
	out->has_modrm = insn->attributes & ZYDIS_ATTRIB_HAS_MODRM;
}

bool insn_operands_decode(const uint8_t *bytes, size_t n_bytes, struct insn_operands *out)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;

	_Static_assert(INSN_MAX_OPERANDS == ZYDIS_MAX_OPERAND_COUNT, "all operands must fit");
	if (!zydis_decode(bytes, n_bytes, &insn, operands))
		return false;
	*out = (struct insn_operands){.encoding = encoding_of(&insn), .opcode_map = (uint8_t)insn.opcode_map};
	for (uint8_t i = 0; i < insn.operand_count; i++)
		add_operand(out, &insn, &operands[i]);
	count_bytes(out, &insn);
	for (size_t i = 0; i < ARRAY_LENGTH(st_moves); i++)
		if (st_moves[i].mnemonic == insn.mnemonic)
			out->st_pushes = st_moves[i].pushes;
	return true;
}

bool insn_operands_name_stack(const struct insn_operands *operands)
{
	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];
		const struct insn_register *reg = operand->kind == OPERAND_MEMORY ? &operand->base : &operand->reg;

		if (!operand->is_hidden && reg->file == REGISTER_GENERAL && reg->number == GENERAL_RSP)
			return true;
	}
	return false;
}
