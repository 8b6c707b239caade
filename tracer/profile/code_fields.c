#include "profile/code_fields.h"

#include "base/array.h"
#include "profile/coder.h"

/* Opcode maps. */
enum map { MAP_ONE_BYTE, MAP_0F, MAP_0F38, MAP_0F3A };

#define REX_W 8
#define MAX_PREFIXES 14

/* Rows of 16 opcodes; a bit each, the lowest one for the lowest opcode. */
static const uint16_t modrm_one_byte[16] = {0x0f0f, 0x0f0f, 0x0f0f, 0x0f0f, 0,	    0,	    0x0a08, 0,
					    0xffff, 0,	    0,	    0,	    0x00c3, 0xff0f, 0,	    0xc0c0};
static const uint16_t no_modrm_0f[16] = {0x4be0, 0, 0, 0x00ff, 0, 0, 0, 0x0080, 0xffff, 0, 0x0707, 0, 0xff00, 0, 0, 0};
static const uint16_t imm8_one_byte[16] = {0x1010, 0x1010, 0x1010, 0x1010, 0,	   0, 0x0c00, 0xffff,
					   0x000d, 0,	   0x0100, 0x00ff, 0x2043, 0, 0x08ff, 0};
static const uint16_t imm32_one_byte[16] = {0x2020, 0x2020, 0x2020, 0x2020, 0,	    0, 0x0300, 0,
					    0x0002, 0,	    0x0200, 0,	    0x0080, 0, 0,      0};
static const uint16_t imm8_0f[16] = {0, 0, 0, 0, 0, 0, 0, 0x000f, 0, 0, 0x1010, 0x0400, 0x0074, 0, 0, 0};

static bool has(const uint16_t *rows, uint8_t opcode)
{
	return rows[opcode >> 4] >> (opcode & 15) & 1;
}

static bool is_prefix(uint8_t byte)
{
	static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3};

	for (unsigned i = 0; i < ARRAY_LENGTH(prefixes); i++)
		if (byte == prefixes[i])
			return true;
	return false;
}

/* An instruction up to its opcode. */
struct opcode {
	enum map map;
	uint8_t byte, rex;
	bool is_16_bit;
	unsigned end; /* 0: it goes on behind what is known */
};

static void find_vex(const uint8_t *bytes, unsigned n_bytes, unsigned at, struct opcode *opcode)
{
	unsigned n_payload = bytes[at] == 0xc5 ? 1 : bytes[at] == 0xc4 ? 2 : 3;

	if (at + n_payload + 1 >= n_bytes)
		return;
	opcode->map = bytes[at] == 0xc5 ? MAP_0F : (enum map)(bytes[at + 1] & (bytes[at] == 0xc4 ? 31 : 7));
	opcode->byte = bytes[at + n_payload + 1];
	opcode->end = at + n_payload + 2;
}

static void find_opcode(const uint8_t *bytes, unsigned n_bytes, struct opcode *opcode)
{
	unsigned at = 0;

	*opcode = (struct opcode){0};
	for (; at < n_bytes && at < MAX_PREFIXES && is_prefix(bytes[at]); at++)
		opcode->is_16_bit |= bytes[at] == 0x66;
	if (at < n_bytes && (bytes[at] & 0xf0) == 0x40)
		opcode->rex = bytes[at++];
	if (at >= n_bytes)
		return;
	if (bytes[at] == 0xc4 || bytes[at] == 0xc5 || bytes[at] == 0x62) {
		find_vex(bytes, n_bytes, at, opcode);
		return;
	}
	if (bytes[at] == 0x0f) {
		opcode->map = MAP_0F;
		if (++at < n_bytes && (bytes[at] == 0x38 || bytes[at] == 0x3a))
			opcode->map = bytes[at++] == 0x38 ? MAP_0F38 : MAP_0F3A;
	}
	if (at < n_bytes) {
		opcode->byte = bytes[at];
		opcode->end = at + 1;
	}
}

static bool has_modrm(const struct opcode *opcode)
{
	if (opcode->map == MAP_ONE_BYTE)
		return has(modrm_one_byte, opcode->byte);
	return opcode->map != MAP_0F || !has(no_modrm_0f, opcode->byte);
}

/* Of the instructions without a 64-bit one. */
static unsigned word_bytes(const struct opcode *opcode)
{
	return opcode->is_16_bit && !(opcode->rex & REX_W) ? 2 : 4;
}

static unsigned n_immediate(const struct opcode *opcode, uint8_t modrm)
{
	if (opcode->map == MAP_0F38)
		return 0;
	if (opcode->map == MAP_0F3A)
		return 1;
	if (opcode->map == MAP_0F)
		return opcode->byte >> 4 == 8 ? 4 : has(imm8_0f, opcode->byte);
	if (opcode->map != MAP_ONE_BYTE)
		return 0;
	if (opcode->byte == 0xf6 || opcode->byte == 0xf7) /* TEST, and six others without */
		return (modrm >> 3 & 7) > 1 ? 0 : opcode->byte == 0xf6 ? 1 : word_bytes(opcode);
	if (opcode->byte == 0xe8 || opcode->byte == 0xe9)
		return 4;
	if (opcode->byte == 0xc2 || opcode->byte == 0xc8 || opcode->byte == 0xca)
		return opcode->byte == 0xc8 ? 3 : 2;
	if (opcode->byte >= 0xa0 && opcode->byte <= 0xa3)
		return 8;
	if (opcode->byte >= 0xb8 && opcode->byte <= 0xbf)
		return opcode->rex & REX_W ? 8 : word_bytes(opcode);
	return has(imm8_one_byte, opcode->byte) ? 1 : has(imm32_one_byte, opcode->byte) ? word_bytes(opcode) : 0;
}

static enum code_transfer transfer_of(const struct opcode *opcode, uint8_t modrm)
{
	uint8_t byte = opcode->byte;

	if (opcode->map == MAP_0F)
		return byte >> 4 == 8 ? CODE_CONDITIONAL : CODE_NONE;
	if (opcode->map != MAP_ONE_BYTE)
		return CODE_NONE;
	if (byte >> 4 == 7 || (byte >= 0xe0 && byte <= 0xe3))
		return CODE_CONDITIONAL;
	if (byte == 0xe8)
		return CODE_CALL;
	if (byte == 0xe9 || byte == 0xeb)
		return CODE_JUMP;
	if (byte == 0xc2 || byte == 0xc3)
		return CODE_RETURN;
	if (byte == 0xff && (modrm >> 3 & 7) >= 2 && (modrm >> 3 & 7) <= 5)
		return (modrm >> 3 & 7) <= 3 ? CODE_INDIRECT_CALL : CODE_INDIRECT_JUMP;
	return CODE_NONE;
}

/* ModRM and what it brings along. Returns where it ends; 0: behind what is known. */
static unsigned find_operand(const uint8_t *bytes, unsigned n_bytes, unsigned at, struct code_fields *fields)
{
	unsigned mod, rm;

	fields->modrm = (uint8_t)at;
	if (at >= n_bytes)
		return 0;
	mod = bytes[at] >> 6;
	rm = bytes[at++] & 7;
	if (mod == 1)
		fields->n_displacement = 1;
	else if (mod == 2 || (mod == 0 && rm == 5))
		fields->n_displacement = 4;
	fields->is_rip_relative = mod == 0 && rm == 5;
	if (mod != 3 && rm == 4) {
		fields->sib = (uint8_t)at;
		if (at >= n_bytes)
			return 0;
		if (mod == 0 && (bytes[at] & 7) == 5)
			fields->n_displacement = 4;
		at++;
	}
	if (fields->n_displacement)
		fields->displacement = (uint8_t)at;
	return at + fields->n_displacement;
}

void code_fields_find(const uint8_t *bytes, unsigned n_bytes, struct code_fields *fields)
{
	struct opcode opcode;
	uint8_t modrm = 0;
	unsigned at;

	*fields = (struct code_fields){0};
	find_opcode(bytes, n_bytes, &opcode);
	if (!opcode.end)
		return;
	fields->opcode_end = (uint8_t)opcode.end;
	at = opcode.end;
	if (has_modrm(&opcode)) {
		at = find_operand(bytes, n_bytes, at, fields);
		if (!at)
			return;
		modrm = bytes[fields->modrm];
	}
	fields->n_immediate = (uint8_t)n_immediate(&opcode, modrm);
	if (fields->n_immediate)
		fields->immediate = (uint8_t)at;
	fields->length = (uint8_t)(at + fields->n_immediate);
	fields->transfer = transfer_of(&opcode, modrm);
	fields->has_target = fields->transfer == CODE_CONDITIONAL || fields->transfer == CODE_JUMP ||
			     fields->transfer == CODE_CALL;
}

uint64_t code_fields_opcode(const uint8_t *bytes, unsigned n_bytes)
{
	struct code_fields fields;
	uint64_t opcode = 0;

	code_fields_find(bytes, n_bytes, &fields);
	for (unsigned i = 0; i < fields.opcode_end; i++)
		opcode = hint_mix(opcode, bytes[i] + 1u);
	return opcode;
}

int64_t code_fields_value(const uint8_t *bytes, unsigned n_bytes)
{
	uint64_t value = 0;

	for (unsigned i = n_bytes; i > 0; i--)
		value = value << 8 | bytes[i - 1];
	if (n_bytes > 0 && n_bytes < 8 && bytes[n_bytes - 1] & 0x80)
		value |= UINT64_MAX << 8 * n_bytes;
	return (int64_t)value;
}

bool code_fields_target(const uint8_t *bytes, unsigned n_bytes, uint64_t va, enum code_transfer *transfer,
			uint64_t *target_va)
{
	struct code_fields fields;

	code_fields_find(bytes, n_bytes, &fields);
	*transfer = fields.length == n_bytes ? fields.transfer : CODE_NONE;
	if (fields.length != n_bytes || !fields.has_target)
		return false;
	*target_va = va + n_bytes + (uint64_t)code_fields_value(bytes + fields.immediate, fields.n_immediate);
	return true;
}
