#include "costmodels/model/form_text.h"

#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "costmodels/model/text_file.h"

#define SAME " (same)"

static const char *const prefixes[] = {"LOCK ", "REP ", "REPE ", "REPNE "};

size_t form_text_mnemonic_bytes(const char *form_text)
{
	char first = *form_text & ~0x20; /* upper case */
	size_t n = 0;

	if (first == 'L' || first == 'R')
		for (size_t i = 0; i < ARRAY_LENGTH(prefixes); i++)
			if (strncasecmp(form_text, prefixes[i], strlen(prefixes[i])) == 0)
				n = strlen(prefixes[i]);
	while (form_text[n] && form_text[n] != ' ')
		n++;
	return n;
}

bool form_operand_is(const struct form_operand *operand, const char *kind)
{
	return operand->n_kind == strlen(kind) && strncasecmp(operand->text, kind, operand->n_kind) == 0;
}

bool form_operand_is_vector(const struct form_operand *operand)
{
	return form_operand_is(operand, "mm") || form_operand_is(operand, "xmm") || form_operand_is(operand, "ymm") ||
	       form_operand_is(operand, "zmm");
}

bool form_operand_is_memory(const struct form_operand *operand)
{
	return form_operand_is(operand, "m") || form_operand_is(operand, "moffs");
}

static bool begins(const char *text, size_t n, const char *with)
{
	return n >= strlen(with) && strncmp(text, with, strlen(with)) == 0;
}

static unsigned leading_number(const char *text)
{
	unsigned number = 0;

	for (; text_is_digit(*text) && number < 100000; text++)
		number = number * 10 + (unsigned)(*text - '0');
	return number;
}

static void parse_decorations(struct form_operand *operand, size_t n)
{
	size_t at = operand->n_text;

	while (at < n) {
		const char *text = operand->text + at;
		size_t n_left = n - at;

		operand->is_masked |= begins(text, n_left, "{k}");
		operand->is_zeroing |= begins(text, n_left, "{z}");
		operand->is_rounding |= begins(text, n_left, "{er}") || begins(text, n_left, "{sae}");
		if (text[0] == '{' && n_left > 4 && strncmp(text + 2, "to", 2) == 0)
			operand->broadcast = leading_number(text + 4);
		at += strcspn(text, "}") + 1;
	}
}

static unsigned vector_width(const char *text, size_t n)
{
	if (n != 3 || strncmp(text + 1, "mm", 2) != 0)
		return n == 2 && strncmp(text, "mm", 2) == 0 ? 64 : 0;
	return *text == 'x' ? 128 : *text == 'y' ? 256 : *text == 'z' ? 512 : 0;
}

static void parse_operand(const char *text, size_t n, struct form_operand *out)
{
	*out = (struct form_operand){.text = text};
	while (out->n_text < n && text[out->n_text] != '{')
		out->n_text++;
	if (text[0] == '[') {
		out->n_kind = 1; /* all addresses of LEA are of one kind */
	} else {
		while (out->n_kind < out->n_text && !text_is_digit(text[out->n_kind]))
			out->n_kind++;
	}
	if (out->n_kind == 0)
		out->width = 0; /* the constant 1 of a shift */
	else if (out->n_kind < out->n_text && text[0] != '[')
		out->width = leading_number(text + out->n_kind);
	else
		out->width = vector_width(text, out->n_text);
	parse_decorations(out, n);
}

bool form_text_parse(const char *form_text, struct form_parts *out)
{
	size_t n = strlen(form_text), at;

	*out = (struct form_parts){.n_mnemonic = form_text_mnemonic_bytes(form_text)};
	if (n > strlen(SAME) && strcmp(form_text + n - strlen(SAME), SAME) == 0) {
		out->is_same = true;
		n -= strlen(SAME);
	}
	for (at = out->n_mnemonic; at < n;) {
		size_t end;

		at += strspn(form_text + at, ", ");
		end = at + strcspn(form_text + at, ",");
		if (end > n)
			end = n;
		if (out->n_operands == FORM_MAX_OPERANDS)
			return false;
		parse_operand(form_text + at, end - at, &out->operands[out->n_operands++]);
		at = end;
	}
	return true;
}

bool form_text_is_pattern(const char *form_text)
{
	const char *star = strchr(form_text, '*');

	while (star && star > form_text && strncasecmp(star - 1, "i*s", 3) == 0)
		star = strchr(star + 1, '*');
	return star;
}
