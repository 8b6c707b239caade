/* Serializes instructions and their forms. */
#include <stdlib.h>

#include "base/array.h"
#include "savefile/content.h"

/* A cache of recent forms by the bytes that determine them. */
#define MEMO_BITS 14

struct memo {
	uint64_t key[2];
	uint32_t form; /* index plus 1; 0: empty */
};

/* The reader derives forms from the bytes again, so that an old file benefits from a newer decoder. */
static uint32_t form_of(struct profile *profile, const struct profile_insn *insn, struct memo *memo)
{
	struct memo *known;
	struct insn decoded;
	uint64_t key[2] = {insn->length};

	if (!insn_decode(insn->bytes, insn->length, &decoded) || decoded.length != insn->length)
		return profile_intern_form(profile, insn->bytes, insn->length);
	memcpy((uint8_t *)key + 1, insn->bytes, insn->length - (size_t)decoded.trailing_constant_bytes);
	/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
	known = &memo[(key[0] ^ key[1] * 31) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - MEMO_BITS)];
	if (!known->form || memcmp(known->key, key, sizeof(key)) != 0) {
		memcpy(known->key, key, sizeof(key));
		known->form = profile_intern_form(profile, insn->bytes, insn->length) + 1;
	}
	return known->form - 1;
}

/* Returns the name of a form that does not follow from the bytes, such as "(vsyscall)", or "". */
static const char *form_name(const struct profile *profile, const struct profile_insn *insn)
{
	const char *text = profile->forms[insn->form].form.text;
	struct form form;

	if (text[0] != '(')
		return "";
	form_of_bytes(insn->bytes, insn->length, &form);
	return strcmp(text, form.text) == 0 ? "" : text;
}

static void serialize_form(struct io *io, struct profile *profile, struct profile_insn *insn, struct memo *memo)
{
	const char *name = io_text(io, COLUMN_INSN_FORM, io->is_reading ? NULL : form_name(profile, insn));

	if (!io->is_reading)
		return;
	if (name[0])
		insn->form = profile_intern_named_form(profile, name);
	else
		insn->form = form_of(profile, insn, memo);
}

static void serialize_row(struct io *io, const struct profile *profile, struct profile_insn *insn,
			  const struct profile_insn *before)
{
	uint32_t offset = 0;

	IO_DIFFERENCE(io, COLUMN_INSN_VA, insn->va, before->va + before->length);
	io_require(io, insn->va >= before->va, "instructions are not in order");
	IO_UINT(io, COLUMN_INSN_LENGTH, insn->length, INSN_MAX_BYTES);
	io_bytes(io, COLUMN_INSN_BYTES, insn->bytes, insn->length);
	IO_INDEX(io, COLUMN_INSN_MODULE, insn->module, before->module, profile->n_modules);
	IO_INDEX(io, COLUMN_INSN_FUNCTION, insn->function, before->function, profile->n_functions);
	if (insn->function == before->function && insn->function != PROFILE_NONE)
		offset = before->function_offset + (uint32_t)(insn->va - before->va);
	IO_DIFFERENCE(io, COLUMN_INSN_OFFSET, insn->function_offset, offset);
	IO_VALID_INDEX(io, COLUMN_INSN_LOCATION, insn->location, before->location, profile->n_locations);
}

void content_serialize_insns(struct io *io, struct profile *profile)
{
	static const struct profile_insn none = {.module = PROFILE_NONE, .function = PROFILE_NONE};
	struct memo *memo = xcalloc((size_t)1 << MEMO_BITS, sizeof(*memo));

	IO_ROWS(io, COLUMN_INSN_VA, profile, insns);
	for (size_t i = 0; i < profile->n_insns && !io->problem; i++) {
		serialize_row(io, profile, &profile->insns[i], i > 0 ? &profile->insns[i - 1] : &none);
		serialize_form(io, profile, &profile->insns[i], memo);
	}
	free(memo);
}
