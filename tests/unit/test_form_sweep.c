/* Properties of insn_decode, insn_operands_decode and form_of_bytes over the whole instruction set: every opcode of
 * every map and encoding, with the prefixes and ModRM bytes that change its meaning, and random bytes from a fixed
 * seed. */
#include "decode/encodings.h"
#include "decode/insn.h"
#include "decode/insn_operands.h"

#include <Zydis/Zydis.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"

/* A form, and Zydis's description of its first instruction. */
struct seen {
	char text[FORM_TEXT_BYTES];
	char signature[96];
	uint8_t bytes[INSN_MAX_BYTES];
};

#define SEEN_SLOTS (1u << 16)
static struct seen seen[SEEN_SLOTS]; /* open addressing by the text */

static struct {
	size_t n_tried, n_accepted, n_register_changes, n_value_changes, n_forms;
	struct form longest;
	bool mnemonic_seen[ZYDIS_MNEMONIC_MAX_VALUE + 1];
	ZydisDecoder decoder;
} sweep;

static const char *hex_of(const uint8_t *bytes)
{
	static char text[INSN_MAX_BYTES * 3 + 1];

	for (size_t i = 0; i < INSN_MAX_BYTES; i++)
		snprintf(text + i * 3, 4, "%02x ", bytes[i]);
	return text;
}

static struct seen *seen_find(const char *text)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (const char *c = text; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	while (seen[hash % SEEN_SLOTS].text[0] && strcmp(seen[hash % SEEN_SLOTS].text, text) != 0)
		hash++;
	return &seen[hash % SEEN_SLOTS];
}

/* Writes what differs between any two forms: the mnemonic, and kind and width of each visible operand. */
static void write_signature(char *out, size_t out_bytes, const ZydisDecodedInstruction *insn,
			    const ZydisDecodedOperand *operands)
{
	size_t used = (size_t)snprintf(out, out_bytes, "%d", insn->mnemonic);
	int n_immediates = 0;

	for (int i = 0; i < insn->operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &operands[i];
		int width = 0;

		if (operand->encoding == ZYDIS_OPERAND_ENCODING_MASK)
			continue;
		switch (operand->type) {
		case ZYDIS_OPERAND_TYPE_REGISTER:
			width = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value);
			break;
		case ZYDIS_OPERAND_TYPE_MEMORY:
			if (operand->mem.type == ZYDIS_MEMOP_TYPE_VSIB) /* Zydis has no uniform rule for its size */
				width = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand->mem.index);
			else if (operand->mem.type != ZYDIS_MEMOP_TYPE_AGEN) /* no access */
				width = operand->size;
			break;
		default:
			if (operand->encoding) /* none: the 1 of a shift */
				width = insn->raw.imm[n_immediates++].size;
			break;
		}
		used += (size_t)snprintf(out + used, out_bytes - used, " %d/%d", operand->type, width);
		assert_true(used < out_bytes);
	}
}

static void check_text(const uint8_t *bytes, const struct form *form)
{
	const char *const texts[] = {form->text, form->mnemonic, form->category, form->isa_extension};
	const size_t sizes[] = {sizeof(form->text), sizeof(form->mnemonic), sizeof(form->category),
				sizeof(form->isa_extension)};

	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
		size_t length = strnlen(texts[i], sizes[i]);

		if (length == 0 || length >= sizes[i] - 1) /* one byte more may be cut */
			fail_msg("%s: text of %zu bytes", hex_of(bytes), length);
		for (size_t j = 0; j < length; j++)
			if (texts[i][j] < ' ' || texts[i][j] > '~')
				fail_msg("%s: '%s' is not printable", hex_of(bytes), texts[i]);
	}
	if (form->text[0] == '(')
		fail_msg("%s: decoded, but its form is '%s'", hex_of(bytes), form->text);
}

static void check_unique(const uint8_t *bytes, const struct form *form, const ZydisDecodedInstruction *insn,
			 const ZydisDecodedOperand *operands)
{
	struct seen *entry = seen_find(form->text);
	char signature[sizeof(entry->signature)];

	write_signature(signature, sizeof(signature), insn, operands);
	if (!entry->text[0]) {
		snprintf(entry->text, sizeof(entry->text), "%s", form->text);
		snprintf(entry->signature, sizeof(entry->signature), "%s", signature);
		memcpy(entry->bytes, bytes, sizeof(entry->bytes));
		sweep.n_forms++;
		assert_true(sweep.n_forms < SEEN_SLOTS / 2);
		if (strlen(form->text) > strlen(sweep.longest.text))
			sweep.longest = *form;
	} else if (strcmp(entry->signature, signature) != 0) {
		char first[INSN_MAX_BYTES * 3 + 1];

		snprintf(first, sizeof(first), "%s", hex_of(entry->bytes));
		fail_msg("'%s' is the form of %s(%s) and of %s(%s)", form->text, first, entry->signature, hex_of(bytes),
			 signature);
	}
}

/* Returns true if another number in this operand's field names a register of the same kind. */
static bool has_plain_register(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operand)
{
	if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	switch (ZydisRegisterGetClass(operand->reg.value)) {
	case ZYDIS_REGCLASS_GPR8: /* without REX, numbers 4 to 7 are AH to BH */
		return insn->attributes & (ZYDIS_ATTRIB_HAS_REX | ZYDIS_ATTRIB_HAS_VEX | ZYDIS_ATTRIB_HAS_EVEX);
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
	case ZYDIS_REGCLASS_X87:
	case ZYDIS_REGCLASS_MMX:
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM:
		return true;
	default:
		return false;
	}
}

static void strip_same(char *text)
{
	char *same = strstr(text, " (same)");

	if (same)
		*same = '\0';
}

/* Puts the next register into each field of ModRM that names one. The form must not change. */
static void check_other_registers(const uint8_t *bytes, const struct form *form, const ZydisDecodedInstruction *insn,
				  const ZydisDecodedOperand *operands)
{
	uint8_t changed[INSN_MAX_BYTES];
	uint8_t *modrm = &changed[insn->raw.modrm.offset];
	ZydisDecodedInstruction other;
	struct form old_form = *form, new_form;

	memcpy(changed, bytes, sizeof(changed));
	for (int i = 0; i < insn->operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &operands[i];

		if (operand->encoding == ZYDIS_OPERAND_ENCODING_MODRM_REG && has_plain_register(insn, operand))
			*modrm = (uint8_t)((*modrm & 0xc7) | ((*modrm + 0x08) & 0x38));
		else if (operand->encoding != ZYDIS_OPERAND_ENCODING_MODRM_RM)
			continue;
		else if (has_plain_register(insn, operand))
			*modrm = (uint8_t)((*modrm & 0xf8) | ((*modrm + 1) & 0x07));
		else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && insn->raw.modrm.rm < 4)
			*modrm = (uint8_t)((*modrm & 0xf8) | ((*modrm + 1) & 0x03)); /* a base without SIB */
	}
	if (memcmp(changed, bytes, sizeof(changed)) == 0)
		return;
	/* Some registers make other instructions (ENDBR64), and some must not be used together (AMX, FP16 products). */
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&sweep.decoder, NULL, changed, sizeof(changed), &other)) ||
	    other.mnemonic != insn->mnemonic)
		return;
	form_of_bytes(changed, sizeof(changed), &new_form);
	strip_same(old_form.text);
	strip_same(new_form.text);
	if (strcmp(old_form.text, new_form.text) != 0)
		fail_msg("%s: '%s' becomes '%s' with other registers", hex_of(bytes), old_form.text, new_form.text);
	sweep.n_register_changes++;
}

static bool is_equal(const struct insn *a, const struct insn *b)
{
	return a->length == b->length && memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0 && a->flow == b->flow &&
	       a->displacement == b->displacement && a->rep_count_bits == b->rep_count_bits &&
	       a->interrupt_vector == b->interrupt_vector && a->delays_debug_trap == b->delays_debug_trap &&
	       a->pushes_flags == b->pushes_flags && a->pops_flags == b->pops_flags;
}

/* Changes the displacement and the immediates. The form must not change. */
static void check_other_values(const uint8_t *bytes, const struct insn *insn, const struct form *form)
{
	uint8_t changed[INSN_MAX_BYTES];
	struct form new_form;

	memcpy(changed, bytes, sizeof(changed));
	for (int i = insn->length - insn->trailing_constant_bytes; i < insn->length; i++)
		changed[i] ^= 0xa5;
	form_of_bytes(changed, sizeof(changed), &new_form);
	if (strcmp(form->text, new_form.text) != 0)
		fail_msg("%s: '%s' becomes '%s' with other values", hex_of(bytes), form->text, new_form.text);
	sweep.n_value_changes += insn->trailing_constant_bytes != 0;
}

/* Only the instruction's own bytes matter, and a second decoding gives the same result. */
static void check_complete(const uint8_t *bytes, const struct insn *insn, const struct form *form)
{
	struct insn short_insn;
	struct form short_form;

	if (!insn_decode(bytes, insn->length, &short_insn) || !is_equal(insn, &short_insn))
		fail_msg("%s: the bytes behind it matter", hex_of(bytes));
	form_of_bytes(bytes, insn->length, &short_form);
	if (strcmp(form->text, short_form.text) != 0)
		fail_msg("%s: '%s' the second time '%s'", hex_of(bytes), form->text, short_form.text);
	if (insn_decode(bytes, insn->length - 1u, &short_insn))
		fail_msg("%s: decoded without its last byte", hex_of(bytes));
}

/* Checks that the operands belong to the instruction: its parts fit into it, and its flow matches its distance. */
static void check_operands(const uint8_t *bytes, const struct insn *insn)
{
	struct insn_operands operands;
	unsigned n_bytes;

	if (!insn_operands_decode(bytes, INSN_MAX_BYTES, &operands))
		fail_msg("%s: no operands", hex_of(bytes));
	n_bytes = operands.n_prefixes + operands.displacement_bytes + operands.immediate_bytes +
		  operands.relative_bytes;
	if (n_bytes + operands.has_rex + operands.has_modrm + 1 > insn->length)
		fail_msg("%s: parts of %u bytes", hex_of(bytes), n_bytes);
	if (insn->displacement && !operands.relative_bytes)
		fail_msg("%s: a flow without distance", hex_of(bytes));
	if (insn->pushes_flags && (!operands.moves_stack || !operands.read.flags || !operands.writes_memory))
		fail_msg("%s: pushes flags", hex_of(bytes));
}

static void check(const uint8_t bytes[INSN_MAX_BYTES])
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction zydis;
	struct insn insn;
	struct form form;

	sweep.n_tried++;
	if (!insn_decode(bytes, INSN_MAX_BYTES, &insn))
		return;
	sweep.n_accepted++;
	if (insn.length < 1 || insn.length > INSN_MAX_BYTES || memcmp(insn.bytes, bytes, insn.length) != 0)
		fail_msg("%s: length %d", hex_of(bytes), insn.length);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&sweep.decoder, bytes, INSN_MAX_BYTES, &zydis, operands)))
		fail_msg("%s: accepted, but not by Zydis", hex_of(bytes));
	sweep.mnemonic_seen[zydis.mnemonic] = true;
	check_operands(bytes, &insn);
	form_of_bytes(bytes, INSN_MAX_BYTES, &form);
	check_text(bytes, &form);
	check_unique(bytes, &form, &zydis, operands);
	if (sweep.n_accepted % 4 == 0)
		check_other_registers(bytes, &form, &zydis, operands);
	if (sweep.n_accepted % 4 == 1)
		check_other_values(bytes, &insn, &form);
	if (sweep.n_accepted % 8 == 0)
		check_complete(bytes, &insn, &form);
}

static void check_encoding(void *context, const uint8_t bytes[INSN_MAX_BYTES])
{
	(void)context;
	check(bytes);
}

static void test_encodings(void **state)
{
	(void)state;
	encodings_for_each(check_encoding, NULL);
}

static void test_random(void **state)
{
	uint64_t x = 88172645463325252u; /* xorshift64 */

	(void)state;
	for (int i = 0; i < 500000; i++) {
		uint8_t bytes[16];

		for (size_t j = 0; j < sizeof(bytes); j += sizeof(x)) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			memcpy(bytes + j, &x, sizeof(x));
		}
		if (i % 4 == 1)
			bytes[0] = 0x62;
		else if (i % 4 == 2)
			bytes[0] = i % 8 == 2 ? 0xc4 : 0xc5;
		check(bytes);
	}
}

static void test_every_mnemonic_was_met(void **state)
{
	static const ZydisMnemonic elsewhere[] = {/* not in 64-bit mode */
						  ZYDIS_MNEMONIC_AAA, ZYDIS_MNEMONIC_AAD, ZYDIS_MNEMONIC_AAM,
						  ZYDIS_MNEMONIC_AAS, ZYDIS_MNEMONIC_ARPL, ZYDIS_MNEMONIC_BOUND,
						  ZYDIS_MNEMONIC_DAA, ZYDIS_MNEMONIC_DAS, ZYDIS_MNEMONIC_INTO,
						  ZYDIS_MNEMONIC_JCXZ, ZYDIS_MNEMONIC_LDS, ZYDIS_MNEMONIC_LES,
						  ZYDIS_MNEMONIC_POPA, ZYDIS_MNEMONIC_POPAD, ZYDIS_MNEMONIC_POPFD,
						  ZYDIS_MNEMONIC_PUSHA, ZYDIS_MNEMONIC_PUSHAD, ZYDIS_MNEMONIC_PUSHFD,
						  ZYDIS_MNEMONIC_SALC,
						  /* Knights Corner, whose encodings AVX-512 took over */
						  ZYDIS_MNEMONIC_KMOV, ZYDIS_MNEMONIC_KNOT, ZYDIS_MNEMONIC_KORTEST};

	(void)state;
	print_message(
		"%zu of %zu decoded, %zu forms, %zu changes of registers, %zu of values; longest: %s (%zu bytes)\n",
		sweep.n_accepted, sweep.n_tried, sweep.n_forms, sweep.n_register_changes, sweep.n_value_changes,
		sweep.longest.text, strlen(sweep.longest.text));
	for (size_t i = 0; i < ARRAY_LENGTH(elsewhere); i++)
		sweep.mnemonic_seen[elsewhere[i]] = true;
	for (int i = ZYDIS_MNEMONIC_INVALID + 1; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
		if (!sweep.mnemonic_seen[i])
			fail_msg("%s was not met", ZydisMnemonicGetString((ZydisMnemonic)i));
	assert_true(sweep.n_register_changes > 100000);
	assert_true(sweep.n_value_changes > 100000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_every_mnemonic_was_met),
	};

	ZydisDecoderInit(&sweep.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
