#include "decode/effects.h"

#include "decode/zydis_shared.h"

static uint16_t arithmetic(ZydisAccessedFlagsMask mask)
{
	return (uint16_t)(mask & FLAGS_ALL);
}

static bool is_shift(const ZydisDecodedInstruction *insn)
{
	return insn->meta.category == ZYDIS_CATEGORY_SHIFT || insn->meta.category == ZYDIS_CATEGORY_ROTATE;
}

/* A shift by 0 does not write the flags, and a variable count may be 0. */
static bool may_keep_flags(const ZydisDecodedInstruction *insn)
{
	if (!is_shift(insn))
		return zydis_repeat_prefix(insn) != 0;
	/* D0 and D1 shift by one. */
	return insn->opcode != 0xd0 && insn->opcode != 0xd1 &&
	       (insn->raw.imm[0].size == 0 ||
		(insn->raw.imm[0].value.u & (insn->operand_width == 64 ? 0x3f : 0x1f)) == 0);
}

/* Returns true if flags that the manuals call undefined count as overwritten. After logical operations, this is AF,
 * which every processor overwrites. After multiplications, these are SF, ZF, AF and PF. Intel's processors overwrite
 * them, so no program can rely on the old values, although Zen keeps them. */
static bool overwrites_undefined(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_IMUL:
	case ZYDIS_MNEMONIC_MUL:
		return true;
	default:
		return false;
	}
}

static void set_flags(const ZydisDecodedInstruction *insn, struct insn_effects *out)
{
	const ZydisAccessedFlags *flags = insn->cpu_flags;
	ZydisAccessedFlagsMask written;

	if (!flags)
		return;
	out->flags_read = arithmetic(flags->tested);
	out->depends_on_values = is_shift(insn) && insn->raw.imm[0].size;
	if (may_keep_flags(insn))
		return; /* flags_killed stays 0 */
	written = flags->modified | flags->set_0 | flags->set_1;
	if (overwrites_undefined(insn->mnemonic))
		written |= flags->undefined;
	else
		written &= ~flags->undefined;
	out->flags_killed = arithmetic(written);
}

static bool writes_only_flags(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands)
{
	const ZydisAccessedFlags *flags = insn->cpu_flags;

	for (int i = 0; i < insn->operand_count_visible; i++)
		if (operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			return false;
	return flags && arithmetic(flags->modified | flags->set_0 | flags->set_1);
}

static bool is_multiword(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_ADC:
	case ZYDIS_MNEMONIC_ADCX:
	case ZYDIS_MNEMONIC_ADOX:
	case ZYDIS_MNEMONIC_NEG:
	case ZYDIS_MNEMONIC_SBB:
		return true;
	default:
		return false;
	}
}

/* Returns true for an instruction that reads or changes the base or the selector of GS. */
static bool uses_gs_register(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands)
{
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_LGS:
	case ZYDIS_MNEMONIC_RDGSBASE:
	case ZYDIS_MNEMONIC_WRGSBASE:
	case ZYDIS_MNEMONIC_SWAPGS:
		return true;
	default:
		break;
	}
	for (int i = 0; i < insn->operand_count_visible; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[i].reg.value == ZYDIS_REGISTER_GS)
			return true;
	return false;
}

/* Returns true if the instruction can be encoded with another address in ModRM. POP changes RSP before it computes an
 * address from RSP. */
static bool has_plain_address(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands)
{
	if (!(insn->attributes & ZYDIS_ATTRIB_HAS_MODRM) || (insn->attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE))
		return false;
	for (int i = 0; i < insn->operand_count_visible; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			return operands[i].mem.type == ZYDIS_MEMOP_TYPE_MEM &&
			       operands[i].mem.base != ZYDIS_REGISTER_RIP &&
			       (insn->mnemonic != ZYDIS_MNEMONIC_POP || operands[i].mem.base != ZYDIS_REGISTER_RSP);
	return false;
}

static bool is_r11(ZydisRegister reg)
{
	return reg == ZYDIS_REGISTER_R11 || reg == ZYDIS_REGISTER_R11D || reg == ZYDIS_REGISTER_R11W ||
	       reg == ZYDIS_REGISTER_R11B;
}

/* Zydis reports that these instructions write their destination, but they may keep its value: BSF and BSR if the
 * source is 0 (as TZCNT and LZCNT on older processors, which execute BSF and BSR instead), and RDSSP, a NOP without a
 * shadow stack (Intel SDM vol. 2). */
static bool may_keep_destination(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_BSF:
	case ZYDIS_MNEMONIC_BSR:
	case ZYDIS_MNEMONIC_TZCNT:
	case ZYDIS_MNEMONIC_LZCNT:
	case ZYDIS_MNEMONIC_RDSSPD:
	case ZYDIS_MNEMONIC_RDSSPQ:
		return true;
	default:
		return false;
	}
}

static void set_r11(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands, struct insn_effects *out)
{
	enum { WHOLE_BITS = 32 }; /* a narrower result keeps the other bits of the register */

	/* Only SYSCALL and SYSRET use R11 without an operand that names it. */
	if (insn->mnemonic == ZYDIS_MNEMONIC_SYSCALL)
		out->writes_r11 = true;
	if (insn->mnemonic == ZYDIS_MNEMONIC_SYSRET)
		out->reads_r11 = true;
	for (int i = 0; i < insn->operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			out->reads_r11 |= is_r11(operand->mem.base) || is_r11(operand->mem.index);
		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER || !is_r11(operand->reg.value))
			continue;
		out->writes_r11 |= (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
		out->reads_r11 |= operand->actions != ZYDIS_OPERAND_ACTION_WRITE || operand->size < WHOLE_BITS ||
				  may_keep_destination(insn->mnemonic);
	}
}

/* The instruction has FLOW_NEXT. */
static enum insn_copy copy_of_plain(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands,
				    struct insn_effects *out)
{
	bool writes_rsp = false;

	for (int i = 0; i < insn->operand_count_visible; i++)
		writes_rsp |= operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			      (operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
			      ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operands[i].reg.value) ==
				      ZYDIS_REGISTER_RSP;
	if (!writes_rsp)
		return COPY_SAME;
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
		return COPY_SAME;
	case ZYDIS_MNEMONIC_LEA:
		if (operands[1].mem.base == ZYDIS_REGISTER_RSP)
			return COPY_SAME;
		if (operands[1].mem.base != ZYDIS_REGISTER_RBP || operands[1].mem.index != ZYDIS_REGISTER_NONE)
			return COPY_MOVES_RSP;
		out->rbp_displacement = (int32_t)operands[1].mem.disp.value;
		out->depends_on_values = true;
		return COPY_RBP_TO_RSP;
	case ZYDIS_MNEMONIC_MOV:
		return operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[1].reg.value == ZYDIS_REGISTER_RBP
			       ? COPY_RBP_TO_RSP
			       : COPY_MOVES_RSP;
	default:
		return COPY_MOVES_RSP;
	}
}

static enum insn_copy copy_of_transfer(const ZydisDecodedInstruction *raw, const struct insn *insn)
{
	bool has_size_prefix = raw->attributes & (ZYDIS_ATTRIB_HAS_OPERANDSIZE | ZYDIS_ATTRIB_HAS_ADDRESSSIZE);

	switch (insn->flow) {
	case FLOW_BRANCH:
		return raw->mnemonic == ZYDIS_MNEMONIC_XBEGIN || (raw->attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE)
			       ? COPY_NEVER
			       : COPY_TRANSFER;
	case FLOW_JUMP:
	case FLOW_CALL:
		return COPY_TRANSFER;
	case FLOW_JUMP_INDIRECT:
	case FLOW_CALL_INDIRECT:
		/* Near indirect CALL and JMP are FF /2 and /4. Far ones are FF /3 and /5. */
		return raw->opcode == 0xff && (raw->raw.modrm.reg == 2 || raw->raw.modrm.reg == 4) && !has_size_prefix
			       ? COPY_TRANSFER
			       : COPY_NEVER;
	case FLOW_RETURN:
		return (raw->opcode == 0xc3 || raw->opcode == 0xc2) && raw->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
				       !has_size_prefix
			       ? COPY_TRANSFER
			       : COPY_NEVER;
	case FLOW_SYSCALL:
		return raw->mnemonic == ZYDIS_MNEMONIC_SYSCALL ? COPY_SYSCALL : COPY_NEVER;
	default:
		return COPY_NEVER;
	}
}

static uint8_t condition_of(const ZydisDecodedInstruction *raw)
{
	bool is_jcc = raw->opcode_map == ZYDIS_OPCODE_MAP_0F || (raw->opcode & 0xf0) == 0x70;

	return is_jcc ? raw->opcode & 0x0f : CONDITION_COUNTER;
}

static void describe_effects(const ZydisDecodedInstruction *raw, const ZydisDecodedOperand *operands,
			     const struct insn *insn, struct insn_effects *out)
{
	bool short_rip = false;

	*out = (struct insn_effects){.copy = COPY_NEVER};
	set_flags(raw, out);
	out->writes_only_flags = writes_only_flags(raw, operands);
	out->is_multiword = is_multiword(raw->mnemonic);
	set_r11(raw, operands, out);
	for (int i = 0; i < raw->operand_count_visible; i++) {
		if (operands[i].type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		if (operands[i].mem.base == ZYDIS_REGISTER_RIP)
			out->displacement_offset = raw->raw.disp.offset;
		short_rip |= operands[i].mem.base == ZYDIS_REGISTER_EIP;
	}
	out->has_gs = (raw->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS) != 0;
	if (short_rip || uses_gs_register(raw, operands) || (out->has_gs && !has_plain_address(raw, operands)) ||
	    insn->delays_debug_trap || insn->pops_flags)
		return;
	/* REP with a 32-bit counter is too rare to handle. */
	if (insn->rep_count_bits && insn->rep_count_bits != 64)
		return;
	out->is_early_ending = insn->rep_count_bits && raw->cpu_flags && raw->cpu_flags->modified;
	if (insn->flow == FLOW_NEXT) {
		out->copy = copy_of_plain(raw, operands, out);
		return;
	}
	out->copy = copy_of_transfer(raw, insn);
	if (insn->flow == FLOW_RETURN && raw->opcode == 0xc2) {
		out->return_pop_bytes = (uint16_t)raw->raw.imm[0].value.u;
		out->depends_on_values = true;
	}
	if (insn->flow == FLOW_BRANCH && out->copy == COPY_TRANSFER)
		out->condition = condition_of(raw);
}

bool insn_decode_effects(const uint8_t *bytes, size_t n_bytes, struct insn *insn, struct insn_effects *out)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction raw;

	if (!zydis_decode_visible(bytes, n_bytes, &raw, operands))
		return false;
	zydis_describe(&raw, bytes, insn);
	describe_effects(&raw, operands, insn, out);
	return true;
}
