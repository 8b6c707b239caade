#include "cli/form_check.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/edit_distance.h"
#include "costmodels/model/form_text.h"
#include "costmodels/model/text_file.h"
#include "decode/encodings.h"

/* Forms of 32-bit programs. Models of old CPUs have rows for them. */
static const char *const forms_of_32_bits[] = {
	"AAA",	    "AAD imm8", "AAM imm8", "AAS",     "DAA",	   "DAS",      "INTO",
	"SALC",	    "POPAD",	"POPFD",    "PUSHAD",  "PUSHFD",   "PUSH r32", "POP r32",
	"PUSH m32", "POP m32",	"JMP r32",  "JMP m32", "CALL r32", "CALL m32",
};

static void add(struct form_check *check, const char *form)
{
	uint32_t number = (uint32_t)check->n_forms;
	char *copy;

	if (text_index_get(&check->index, form, strlen(form)) != TEXT_INDEX_NONE)
		return;
	copy = xstrdup(form);
	*ARRAY_ADD(check, forms) = copy;
	text_index_put(&check->index, copy, strlen(copy), number);
}

static void add_encoding(void *context, const uint8_t bytes[INSN_MAX_BYTES])
{
	struct insn insn;
	struct form form;

	if (!insn_decode(bytes, INSN_MAX_BYTES, &insn))
		return;
	form_of_bytes(bytes, INSN_MAX_BYTES, &form);
	add(context, form.text);
}

/* Returns the nearest form of the same mnemonic; else the form that this is a typo of; NULL: none. */
static const char *find_nearest(const struct form_check *check, const char *form)
{
	size_t n = form_text_mnemonic_bytes(form), smallest = SIZE_MAX;
	struct edit_nearest typo = {0};
	const char *same = NULL;

	for (size_t i = 0; i < check->n_forms; i++) {
		const char *other = check->forms[i];

		edit_nearest_offer(&typo, form, other);
		if (form_text_mnemonic_bytes(other) == n && strncasecmp(form, other, n) == 0 &&
		    edit_distance(form, other) < smallest) {
			smallest = edit_distance(form, other);
			same = other;
		}
	}
	return same ? same : typo.name;
}

static bool any_matches(const struct form_check *check, const char *pattern)
{
	for (size_t i = 0; i < check->n_forms; i++)
		if (text_matches(pattern, check->forms[i]))
			return true;
	return false;
}

char *form_check_explain(void *context, const char *form)
{
	struct form_check *check = context;
	const char *nearest;

	if (!check->n_forms) {
		for (size_t i = 0; i < ARRAY_LENGTH(forms_of_32_bits); i++)
			add(check, forms_of_32_bits[i]);
		encodings_for_each(add_encoding, check);
	}
	if (text_index_get(&check->index, form, strlen(form)) != TEXT_INDEX_NONE)
		return NULL;
	if (form_text_is_pattern(form) && any_matches(check, form))
		return NULL;
	nearest = find_nearest(check, form);
	return nearest ? xasprintf("no instruction has the form '%.80s'; the nearest is '%s'", form, nearest)
		       : xasprintf(
				 "no instruction has a form like '%.80s'; 'itrace models form HEX' prints the form of "
				 "the instruction with these bytes",
				 form);
}

void form_check_deinit(struct form_check *check)
{
	for (size_t i = 0; i < check->n_forms; i++)
		free(check->forms[i]);
	free(check->forms);
	text_index_deinit(&check->index);
	*check = (struct form_check){0};
}
