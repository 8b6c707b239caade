#include "decode/encode.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "decode/zydis_shared.h"

#define SAME_TEXT " (same)"

/* A form, the chosen registers and values, and the resulting request to Zydis's encoder. */
struct request {
	ZydisEncoderRequest zydis;
	const struct insn_choice *choice;
	const char *form_text;
	bool has_mask;
};

static ZydisMnemonic mnemonic_of(const char *text, size_t n_bytes)
{
	for (int i = ZYDIS_MNEMONIC_INVALID + 1; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++) {
		const char *name = ZydisMnemonicGetString((ZydisMnemonic)i);

		if (strncasecmp(name, text, n_bytes) == 0 && !name[n_bytes])
			return (ZydisMnemonic)i;
	}
	return ZYDIS_MNEMONIC_INVALID;
}

/* Reads a prefix such as "LOCK ". Returns the text after the prefix. */
static const char *read_prefix(const char *text, ZydisInstructionAttributes *prefixes)
{
	static const struct {
		const char *text;
		ZydisInstructionAttributes attribute;
	} rows[] = {
		{"LOCK ", ZYDIS_ATTRIB_HAS_LOCK},
		{"REP ", ZYDIS_ATTRIB_HAS_REP},
		{"REPE ", ZYDIS_ATTRIB_HAS_REPE},
		{"REPNE ", ZYDIS_ATTRIB_HAS_REPNE},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		if (strncasecmp(text, rows[i].text, strlen(rows[i].text)) == 0) {
			*prefixes = rows[i].attribute;
			return text + strlen(rows[i].text);
		}
	return text;
}

static bool read_register(const char *text, size_t n_text, uint8_t number, ZydisRegister *out)
{
	static const struct {
		const char *text;
		ZydisRegister first;
	} rows[] = {
		{"r8h", ZYDIS_REGISTER_AH},   {"r16", ZYDIS_REGISTER_AX},   {"r32", ZYDIS_REGISTER_EAX},
		{"r64", ZYDIS_REGISTER_RAX},  {"xmm", ZYDIS_REGISTER_XMM0}, {"ymm", ZYDIS_REGISTER_YMM0},
		{"zmm", ZYDIS_REGISTER_ZMM0}, {"mm", ZYDIS_REGISTER_MM0},   {"st", ZYDIS_REGISTER_ST0},
		{"k", ZYDIS_REGISTER_K0},     {"sreg", ZYDIS_REGISTER_ES},  {"cr", ZYDIS_REGISTER_CR0},
		{"dr", ZYDIS_REGISTER_DR0},   {"tmm", ZYDIS_REGISTER_TMM0}, {"bnd", ZYDIS_REGISTER_BND0},
		{"cl", ZYDIS_REGISTER_CL},    {"dx", ZYDIS_REGISTER_DX},
	};

	/* Zydis numbers AL to BL, then AH to BH, then SPL to R15B. */
	if (n_text == 2 && strncmp(text, "r8", 2) == 0) {
		*out = (ZydisRegister)(ZYDIS_REGISTER_AL + number + (number < 4 ? 0 : 4));
		return true;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		if (strlen(rows[i].text) == n_text && strncmp(text, rows[i].text, n_text) == 0) {
			*out = (ZydisRegister)(rows[i].first +
					       (strcmp(rows[i].text, "cl") && strcmp(rows[i].text, "dx") ? number : 0));
			return true;
		}
	return false;
}

static ZydisBroadcastMode read_broadcast(const char *text, size_t n_text)
{
	static const struct {
		const char *text;
		ZydisBroadcastMode mode;
	} rows[] = {
		{"{1to2}", ZYDIS_BROADCAST_MODE_1_TO_2},   {"{1to4}", ZYDIS_BROADCAST_MODE_1_TO_4},
		{"{1to8}", ZYDIS_BROADCAST_MODE_1_TO_8},   {"{1to16}", ZYDIS_BROADCAST_MODE_1_TO_16},
		{"{1to32}", ZYDIS_BROADCAST_MODE_1_TO_32},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		if (memmem(text, n_text, rows[i].text, strlen(rows[i].text)))
			return rows[i].mode;
	return ZYDIS_BROADCAST_MODE_INVALID;
}

/* An address of LEA, such as [b+i*s+d], [i] or [rip]: the form names the parts that it has. */
static void read_shape(const char *text, size_t n_text, const struct insn_choice *choice, uint8_t base,
		       ZydisEncoderOperand *out)
{
	/* Zydis encodes no displacement of zero. */
	int32_t displacement = choice->displacement ? choice->displacement : 64;

	out->mem.size = 8;
	if (memmem(text, n_text, "rip", 3))
		out->mem.base = ZYDIS_REGISTER_RIP;
	else if (memchr(text, 'b', n_text))
		out->mem.base = (ZydisRegister)(ZYDIS_REGISTER_RAX + base);
	if (memmem(text, n_text, "[i", 2) || memmem(text, n_text, "+i", 2)) {
		out->mem.index = (ZydisRegister)(ZYDIS_REGISTER_RAX + choice->index);
		out->mem.scale = memmem(text, n_text, "*s", 2) ? 4 : 1;
	}
	out->mem.displacement = memchr(text, 'd', n_text) ? displacement : 0;
}

/* m64, m16:64, moffs8, vm32x, [b+d], or m. */
static bool read_memory(struct request *request, const char *text, size_t n_text, uint8_t base,
			ZydisEncoderOperand *out)
{
	const struct insn_choice *choice = request->choice;
	const char *digits = text + strcspn(text, "0123456789");

	out->type = ZYDIS_OPERAND_TYPE_MEMORY;
	if (*text == '[') {
		read_shape(text, n_text, choice, base, out);
		return true;
	}
	out->mem.base = (ZydisRegister)(ZYDIS_REGISTER_RAX + base);
	out->mem.displacement = choice->displacement;
	if (strncmp(text, "vm", 2) == 0) {
		ZydisRegister first = text[4] == 'x'   ? ZYDIS_REGISTER_XMM0
				      : text[4] == 'y' ? ZYDIS_REGISTER_YMM0
						       : ZYDIS_REGISTER_ZMM0;

		out->mem.index = (ZydisRegister)(first + choice->index);
		out->mem.scale = 1;
		/* Zydis needs the width of an element. The last letter of the mnemonic gives it. */
		out->mem.size = request->form_text[strcspn(request->form_text, " ") - 1] == 'D' ||
						request->form_text[strcspn(request->form_text, " ") - 1] == 'S'
					? 4
					: 8;
		if (memmem(request->form_text, strcspn(request->form_text, " "), "PD", 2))
			out->mem.size = 8;
		return true;
	}
	if (digits >= text + n_text) {
		out->mem.size = 8;
		return strncmp(text, "m", n_text) == 0;
	}
	out->mem.size = (ZyanU16)(strtoul(digits, NULL, 10) / 8);
	if (memchr(text, ':', n_text))
		out->mem.size = (ZyanU16)(2 + strtoul((const char *)memchr(text, ':', n_text) + 1, NULL, 10) / 8);
	if (strncmp(text, "moffs", 5) == 0) {
		out->mem.base = ZYDIS_REGISTER_NONE;
		out->mem.displacement = INT64_C(0x123456789a); /* needs 64 bits; executing it would fault */
	}
	return *text == 'm';
}

static bool read_immediate(struct request *request, const char *text, size_t n_text, ZydisEncoderOperand *out)
{
	static const int64_t added[] = {[1] = 0, [2] = 0x1000, [4] = 0x10000000, [8] = INT64_C(0x1000000000000000)};
	bool is_relative = strncmp(text, "rel", 3) == 0;

	out->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
	out->imm.s = 1;
	if (n_text == 1 && *text == '1')
		return true;
	if (n_text < 4 || (!is_relative && strncmp(text, "imm", 3) != 0))
		return false;
	unsigned long n_bytes = strtoul(text + 3, NULL, 10) / 8;

	if (n_bytes >= ARRAY_LENGTH(added))
		return false;
	out->imm.s = is_relative ? 0 : request->choice->immediate + added[n_bytes];
	if (is_relative)
		request->zydis.branch_width = n_bytes == 1   ? ZYDIS_BRANCH_WIDTH_8
					      : n_bytes == 2 ? ZYDIS_BRANCH_WIDTH_16
							     : ZYDIS_BRANCH_WIDTH_32;
	return true;
}

static bool read_operand(struct request *request, const char *text, size_t n_all, size_t number)
{
	size_t n_text = strcspn(text, ",{");
	ZydisEncoderOperand *out = &request->zydis.operands[number];
	uint8_t chosen = request->choice->registers[number];

	if (n_text > n_all)
		n_text = n_all;
	request->has_mask |= memmem(text, n_all, "{k}", 3) != NULL;
	request->zydis.evex.zeroing_mask |= memmem(text, n_all, "{z}", 3) != NULL;
	request->zydis.evex.sae |= memmem(text, n_all, "{sae}", 5) != NULL;
	if (memmem(text, n_all, "{er}", 4)) {
		request->zydis.evex.sae = ZYAN_TRUE; /* the encoder needs sae besides the rounding */
		request->zydis.evex.rounding = ZYDIS_ROUNDING_MODE_RN;
	}
	if (memmem(text, n_all, "{1to", 4))
		request->zydis.evex.broadcast = read_broadcast(text, n_all);
	if (read_register(text, n_text, chosen, &out->reg.value)) {
		out->type = ZYDIS_OPERAND_TYPE_REGISTER;
		return true;
	}
	if (*text == 'm' || *text == 'v' || *text == '[')
		return read_memory(request, text, n_text, chosen, out);
	return read_immediate(request, text, n_text, out);
}

static bool read_form(struct request *request)
{
	const char *text = read_prefix(request->form_text, &request->zydis.prefixes);
	const char *end = strstr(text, SAME_TEXT), *space = text + strcspn(text, " ");

	request->zydis.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
	request->zydis.mnemonic = mnemonic_of(text, (size_t)(space - text));
	if (request->zydis.mnemonic == ZYDIS_MNEMONIC_INVALID)
		return false;
	end = end ? end : text + strlen(text);
	for (text = space; text < end;) {
		const char *comma;

		text += strspn(text, ", ");
		comma = memchr(text, ',', (size_t)(end - text));
		comma = comma ? comma : end;
		if (request->zydis.operand_count == ZYDIS_ENCODER_MAX_OPERANDS ||
		    !read_operand(request, text, (size_t)(comma - text), request->zydis.operand_count))
			return false;
		request->zydis.operand_count++;
		text = comma;
	}
	return true;
}

static size_t encode(const struct request *request, const ZydisEncoderRequest *zydis, uint8_t bytes[INSN_MAX_BYTES])
{
	uint8_t found[ZYDIS_MAX_INSTRUCTION_LENGTH];
	ZyanUSize length = sizeof(found);
	struct form form;

	if (ZYAN_FAILED(ZydisEncoderEncodeInstruction(zydis, found, &length)))
		return 0;
	form_of_bytes(found, length, &form);
	if (strcasecmp(form.text, request->form_text) != 0)
		return 0;
	memcpy(bytes, found, length);
	return length;
}

/* The encoder takes the mask as the second operand of an EVEX instruction. K0 means no mask. */
static size_t encode_evex(const struct request *request, uint8_t bytes[INSN_MAX_BYTES])
{
	ZydisEncoderRequest zydis = request->zydis;

	if (zydis.operand_count == 0 || zydis.operand_count == ZYDIS_ENCODER_MAX_OPERANDS)
		return 0;
	zydis.allowed_encodings = ZYDIS_ENCODABLE_ENCODING_EVEX;
	memmove(&zydis.operands[2], &zydis.operands[1], (zydis.operand_count - 1u) * sizeof(zydis.operands[0]));
	zydis.operands[1] = (ZydisEncoderOperand){
		.type = ZYDIS_OPERAND_TYPE_REGISTER,
		.reg.value = (ZydisRegister)(ZYDIS_REGISTER_K0 + (request->has_mask ? request->choice->mask : 0)),
	};
	zydis.operand_count++;
	return encode(request, &zydis, bytes);
}

size_t insn_encode(const char *form_text, const struct insn_choice *choice, uint8_t bytes[INSN_MAX_BYTES])
{
	struct request request = {.choice = choice, .form_text = form_text};
	ZydisEncoderRequest other;
	size_t length;

	if (!read_form(&request))
		return 0;
	request.zydis.allowed_encodings = ZYDIS_ENCODABLE_ENCODING_LEGACY | ZYDIS_ENCODABLE_ENCODING_3DNOW |
					  ZYDIS_ENCODABLE_ENCODING_XOP | ZYDIS_ENCODABLE_ENCODING_VEX;
	length = encode(&request, &request.zydis, bytes) ?: encode_evex(&request, bytes);
	if (length)
		return length;
	/* The encoder takes string instructions without operands. */
	other = request.zydis;
	other.operand_count = 0;
	length = encode(&request, &other, bytes);
	/* VBLENDVPS and the like have a register in the upper half of the immediate. */
	for (int i = 2; i < 4 && !length; i++) {
		other = request.zydis;
		other.operands[i].reg.is4 = ZYAN_TRUE;
		length = encode(&request, &other, bytes);
	}
	/* EVEX instructions without a mask operand */
	other = request.zydis;
	other.allowed_encodings = ZYDIS_ENCODABLE_ENCODING_EVEX;
	return length ?: encode(&request, &other, bytes);
}
