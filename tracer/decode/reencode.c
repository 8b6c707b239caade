#include "decode/reencode.h"

#include <string.h>

#include "decode/zydis_shared.h"

uint8_t insn_encode_target_load(const struct insn *insn, uint8_t bytes[INSN_MAX_BYTES], uint8_t *displacement_offset)
{
	enum { REX_WR = 0x4c, MOV_LOAD = 0x8b, REG_R11 = 3 };
	ZydisDecodedInstruction raw;
	uint8_t n = 0, rest, rex;

	*displacement_offset = 0;
	if (!zydis_decode(insn->bytes, insn->length, &raw, NULL))
		return 0;
	rest = (uint8_t)(raw.raw.modrm.offset + 1);
	rex = (uint8_t)(raw.raw.rex.X << 1 | raw.raw.rex.B);
	/* In 64-bit mode only FS and GS have a base. The caller handles operands relative to GS. */
	if (raw.attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS)
		bytes[n++] = 0x64;
	bytes[n++] = (uint8_t)(REX_WR | rex);
	bytes[n++] = MOV_LOAD;
	bytes[n++] = (uint8_t)((insn->bytes[rest - 1] & ~0x38) | REG_R11 << 3);
	if (raw.raw.modrm.mod == 0 && raw.raw.modrm.rm == 5)
		*displacement_offset = n;
	memcpy(bytes + n, insn->bytes + rest, (size_t)insn->length - rest);
	return (uint8_t)(n + insn->length - rest);
}

static bool uses_high_byte(const ZydisDecodedInstruction *raw, const ZydisDecodedOperand *operands)
{
	for (int i = 0; i < raw->operand_count; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[i].reg.value >= ZYDIS_REGISTER_AH &&
		    operands[i].reg.value <= ZYDIS_REGISTER_BH)
			return true;
	return false;
}

/* Sets or clears the bit before ModRM that selects R8 to R15 as the base. Returns the number of bytes before ModRM,
 * or 0 if there is no such encoding. */
static uint8_t extend_base(const ZydisDecodedInstruction *raw, const ZydisDecodedOperand *operands, bool is_high,
			   uint8_t *bytes)
{
	enum { REX = 0x40, REX_B = 0x01, VEX_NOT_B = 0x20, VEX3 = 0xc4, VEX_NOT_X = 0x40, VEX_MAP_0F = 0x01 };
	uint8_t n = raw->raw.modrm.offset, opcode;

	switch (raw->encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
		if (raw->opcode_map > ZYDIS_OPCODE_MAP_0F3A || (is_high && uses_high_byte(raw, operands)))
			return 0;
		opcode = (uint8_t)(n - (raw->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT ? 1
					: raw->opcode_map == ZYDIS_OPCODE_MAP_0F    ? 2
										    : 3));
		if (raw->attributes & ZYDIS_ATTRIB_HAS_REX) {
			bytes[opcode - 1] = (uint8_t)((bytes[opcode - 1] & ~REX_B) | is_high);
			return n;
		}
		if (!is_high)
			return n;
		memmove(bytes + opcode + 1, bytes + opcode, (size_t)(n - opcode));
		bytes[opcode] = REX | REX_B;
		return (uint8_t)(n + 1);
	case ZYDIS_INSTRUCTION_ENCODING_VEX:
	case ZYDIS_INSTRUCTION_ENCODING_EVEX:
		opcode = raw->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ? raw->raw.vex.offset : raw->raw.evex.offset;
		if (raw->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX || raw->raw.vex.size == 3) {
			bytes[opcode + 1] = (uint8_t)((bytes[opcode + 1] & ~VEX_NOT_B) | (is_high ? 0 : VEX_NOT_B));
			return n;
		}
		if (!is_high)
			return n;
		memmove(bytes + opcode + 3, bytes + opcode + 2, (size_t)(n - opcode - 2));
		bytes[opcode + 2] = bytes[opcode + 1] & 0x7f;
		bytes[opcode + 1] = (uint8_t)((bytes[opcode + 1] & 0x80) | VEX_NOT_X | VEX_MAP_0F);
		bytes[opcode] = VEX3;
		return (uint8_t)(n + 1);
	default:
		return 0;
	}
}

static bool is_family(ZydisRegister reg, ZydisRegister family)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg) == family;
}

static bool uses_register(const ZydisDecodedInstruction *raw, const ZydisDecodedOperand *operands, ZydisRegister family)
{
	for (int i = 0; i < raw->operand_count; i++)
		if ((operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && is_family(operands[i].reg.value, family)) ||
		    (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		     (is_family(operands[i].mem.base, family) || is_family(operands[i].mem.index, family))))
			return true;
	return false;
}

/* Removes the GS prefix from bytes[n_bytes]. Returns the new length. */
static uint8_t remove_gs(uint8_t *bytes, uint8_t n_bytes)
{
	enum { GS_PREFIX = 0x65 };
	uint8_t *prefix = memchr(bytes, GS_PREFIX, n_bytes);

	memmove(prefix, prefix + 1, (size_t)(bytes + n_bytes - (prefix + 1)));
	return (uint8_t)(n_bytes - 1);
}

uint8_t insn_encode_with_base(const struct insn *insn, uint8_t reg, uint8_t bytes[INSN_MAX_BYTES])
{
	enum { REG = 0x38, RM = 0x07, MODE_REGISTER = 3, FIRST_HIGH = 8 };
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint8_t changed[INSN_MAX_BYTES + 1], n, rest;
	ZydisDecodedInstruction raw;
	bool has_gs;

	if (!zydis_decode(insn->bytes, insn->length, &raw, operands) || !(raw.attributes & ZYDIS_ATTRIB_HAS_MODRM) ||
	    raw.raw.modrm.mod == MODE_REGISTER)
		return 0;
	has_gs = raw.attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS;
	if ((!has_gs && (raw.raw.modrm.mod != 0 || raw.raw.modrm.rm != 5)) ||
	    (reg == INSN_RCX && uses_register(&raw, operands, ZYDIS_REGISTER_RCX)))
		return 0;
	memcpy(changed, insn->bytes, insn->length);
	n = extend_base(&raw, operands, reg >= FIRST_HIGH, changed);
	if (!n)
		return 0;
	if (has_gs)
		n = remove_gs(changed, n);
	changed[n++] = (uint8_t)((insn->bytes[raw.raw.modrm.offset] & REG) | (reg & RM));
	rest = (uint8_t)(raw.raw.modrm.offset + 1 + (raw.raw.sib.offset != 0) + raw.raw.disp.size / 8);
	memcpy(bytes, changed, n);
	memcpy(bytes + n, insn->bytes + rest, (size_t)insn->length - rest);
	return (uint8_t)(n + insn->length - rest);
}
