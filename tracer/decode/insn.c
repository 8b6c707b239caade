#include "decode/insn.h"

#include <string.h>

#include "decode/zydis_shared.h"

bool zydis_decode(const uint8_t *bytes, size_t n_bytes, ZydisDecodedInstruction *insn,
		  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
	ZydisDecoder decoder;

	/* This takes a few ns and avoids shared state. */
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (operands)
		return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n_bytes, insn, operands));
	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, n_bytes, insn));
}

bool zydis_decode_visible(const uint8_t *bytes, size_t n_bytes, ZydisDecodedInstruction *insn,
			  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT])
{
	ZydisDecoderContext context;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, &context, bytes, n_bytes, insn)) &&
	       ZYAN_SUCCESS(
		       ZydisDecoderDecodeOperands(&decoder, &context, insn, operands, insn->operand_count_visible));
}

bool zydis_is_string(const ZydisDecodedInstruction *insn)
{
	return insn->meta.category == ZYDIS_CATEGORY_STRINGOP || insn->meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}

uint8_t zydis_repeat_prefix(const ZydisDecodedInstruction *insn)
{
	if (!zydis_is_string(insn))
		return 0;
	/* Taken from the bytes, because Zydis's attributes omit that 0xF2 repeats INS and OUTS. The last of several
	 * prefixes counts. */
	for (uint8_t i = insn->raw.prefix_count; i > 0; i--) {
		uint8_t value = insn->raw.prefixes[i - 1].value;

		if (value == 0xf2 || value == 0xf3)
			return value;
	}
	return 0;
}

static enum insn_flow flow_of(const ZydisDecodedInstruction *insn)
{
	bool relative = insn->raw.imm[0].is_relative;

	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		return FLOW_STOP;
	case ZYDIS_MNEMONIC_UIRET: /* Zydis puts it into the category UINTR */
		return FLOW_RETURN;
	case ZYDIS_MNEMONIC_XABORT: /* does nothing outside of a transaction (Intel SDM vol. 2, XABORT) */
		return FLOW_NEXT;
	default:
		break;
	}
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_COND_BR: /* includes XEND, which does not branch */
		return relative ? FLOW_BRANCH : FLOW_NEXT;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return relative ? FLOW_JUMP : FLOW_JUMP_INDIRECT;
	case ZYDIS_CATEGORY_CALL:
		return relative ? FLOW_CALL : FLOW_CALL_INDIRECT;
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_SYSRET:
		return FLOW_RETURN;
	case ZYDIS_CATEGORY_SYSCALL:
		return FLOW_SYSCALL;
	case ZYDIS_CATEGORY_INTERRUPT:
		return FLOW_INTERRUPT;
	default:
		return FLOW_NEXT;
	}
}

static uint8_t vector_of(const ZydisDecodedInstruction *insn)
{
	return insn->mnemonic == ZYDIS_MNEMONIC_INT1   ? 1
	       : insn->mnemonic == ZYDIS_MNEMONIC_INT3 ? 3
						       : (uint8_t)insn->raw.imm[0].value.u;
}

static uint8_t trailing_constant_bytes(const ZydisDecodedInstruction *insn)
{
	unsigned n_bytes = (insn->raw.disp.size + insn->raw.imm[0].size + insn->raw.imm[1].size) / 8u;
	unsigned first = insn->raw.disp.size ? insn->raw.disp.offset : insn->raw.imm[0].offset;

	/* No constants end a 3DNow! instruction, because its opcode is the last byte. */
	return n_bytes && first + n_bytes == insn->length ? (uint8_t)n_bytes : 0;
}

void zydis_describe(const ZydisDecodedInstruction *insn, const uint8_t *bytes, struct insn *out)
{
	*out = (struct insn){.length = insn->length,
			     .flow = flow_of(insn),
			     .trailing_constant_bytes = trailing_constant_bytes(insn)};
	memcpy(out->bytes, bytes, insn->length);
	if (insn->raw.imm[0].is_relative)
		out->displacement = (int32_t)insn->raw.imm[0].value.s;
	if (zydis_repeat_prefix(insn))
		out->rep_count_bits = insn->address_width;
	if (out->flow == FLOW_INTERRUPT)
		out->interrupt_vector = vector_of(insn);
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		/* MOV to SS (8E /2). 64-bit mode has no POP SS, and LSS does not delay debug traps (Intel SDM vol. 3,
		 * "Masking Exceptions and Interrupts When Switching Stacks"). */
		out->delays_debug_trap = insn->opcode == 0x8e && insn->raw.modrm.reg == 2;
		break;
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFQ:
		out->pushes_flags = true;
		break;
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFQ:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_UIRET:
		out->pops_flags = true;
		break;
	default:
		break;
	}
}

bool insn_decode(const uint8_t *bytes, size_t n_bytes, struct insn *out)
{
	ZydisDecodedInstruction insn;

	if (!zydis_decode(bytes, n_bytes, &insn, NULL))
		return false;
	zydis_describe(&insn, bytes, out);
	return true;
}
