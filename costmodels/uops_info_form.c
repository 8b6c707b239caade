#include "costmodels/uops_info_form.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

/* uops.info has XED's names; where Zydis's differ by more than an affix. */
static const struct {
	const char *xed, *zydis;
} names[] = {
	{"CALL_NEAR", "CALL"}, {"CALL_FAR", "CALL"},   {"RET_NEAR", "RET"},    {"RET_FAR", "RETF"},
	{"JMP_FAR", "JMP"},    {"MOVSD_XMM", "MOVSD"}, {"CMPSD_XMM", "CMPSD"}, {"MOV_CR", "MOV"},
	{"MOV_DR", "MOV"},     {"SYSRET64", "SYSRET"}, {"NOP2", "NOP"},	       {"NOP3", "NOP"},
	{"NOP4", "NOP"},       {"NOP5", "NOP"},	       {"NOP6", "NOP"},	       {"NOP7", "NOP"},
	{"NOP8", "NOP"},       {"NOP9", "NOP"},
};

/* What shows the register that holds its count. */
static const char *const shifts[] = {"SHL", "SHR", "SAR", "ROL", "ROR", "RCL", "RCR", "SHLD", "SHRD"};

/* What shows memory operands that go without saying, and how many. */
static const struct {
	const char *stem;
	unsigned n_memory;
} strings[] = {{"MOVS", 2}, {"CMPS", 2}, {"STOS", 1}, {"LODS", 1}, {"SCAS", 1}};

struct text {
	char *bytes;
	size_t n, size;
	bool is_cut;
};

static void __attribute__((format(printf, 2, 3))) append(struct text *text, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->bytes + text->n, text->size - text->n, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= text->size - text->n) {
		text->is_cut = true;
		text->bytes[text->n] = '\0';
		return;
	}
	text->n += (size_t)n;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_one_of(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

static bool is_mnemonic(const char *text)
{
	if (*text < 'A' || *text > 'Z')
		return false;
	while ((*text >= 'A' && *text <= 'Z') || (*text >= '0' && *text <= '9') || *text == '_')
		text++;
	return !*text;
}

/* False for what has no form: REP was measured for one count, which the file does not tell. */
static bool split_mnemonic(const char *iclass, char mnemonic[UOPS_TEXT_BYTES], bool *is_locked)
{
	size_t n;

	if (!is_mnemonic(iclass) || begins(iclass, "REP"))
		return false;
	strcpy(mnemonic, iclass);
	n = strlen(mnemonic);
	*is_locked = n > 5 && strcmp(mnemonic + n - 5, "_LOCK") == 0;
	if (*is_locked)
		mnemonic[n - 5] = '\0';
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
		if (strcmp(mnemonic, names[i].xed) == 0)
			strcpy(mnemonic, names[i].zydis);
	return true;
}

static bool is_numbered(const char *name, const char *stem)
{
	name += begins(name, stem) ? strlen(stem) : 0;
	return (*name >= '0' && *name <= '9') || *name == '(';
}

static void append_register(struct text *text, const struct uops_operand *operand, const char *mnemonic)
{
	static const char *const kinds[] = {"XMM", "YMM", "ZMM", "TMM", "MM", "BND", "CR", "DR", "ST", "K"};
	static const char *const segments[] = {"ES", "CS", "SS", "DS", "FS", "GS"};
	static const char *const high[] = {"AH", "BH", "CH", "DH"};
	const char *name = operand->first;

	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
		if (begins(name, kinds[i]) && is_numbered(name, kinds[i])) {
			for (const char *at = kinds[i]; *at; at++)
				append(text, "%c", *at | 0x20);
			return;
		}
	if (is_one_of(name, segments, ARRAY_LENGTH(segments)))
		append(text, "sreg");
	else if (is_one_of(name, high, ARRAY_LENGTH(high)))
		append(text, "r8h");
	else if (strcmp(name, "CL") == 0 && operand->is_implicit && is_one_of(mnemonic, shifts, ARRAY_LENGTH(shifts)))
		append(text, "cl");
	else if (strcmp(name, "DX") == 0 && (strcmp(mnemonic, "IN") == 0 || strcmp(mnemonic, "OUT") == 0))
		append(text, "dx");
	else
		append(text, "r%u", operand->width);
}

/* uops.info tells the shape of an address in the instruction's name: "LEA_B_IS_D8 (R64)". */
static bool append_shape(struct text *text, const char *string)
{
	const char *separator = "";

	if (!begins(string, "LEA_"))
		return false;
	append(text, "[");
	for (const char *at = string + strlen("LEA"); *at == '_'; at += strcspn(at, "_ (")) {
		at++;
		append(text, "%s%s", separator,
		       begins(at, "IS") ? "i*s"
		       : *at == 'I'	? "i"
		       : *at == 'B'	? "b"
		       : *at == 'R'	? "rip"
		       : *at == 'D'	? "d"
					: "?");
		separator = "+";
	}
	append(text, "]");
	return !strchr(text->bytes, '?');
}

static bool append_memory(struct text *text, const struct uops_operand *operand, const char *mnemonic)
{
	const char *at;

	if (operand->vsib) {
		at = strstr(mnemonic, "GATHER");
		at = at ? at + strlen("GATHER") : strstr(mnemonic, "SCATTER");
		if (!at)
			return false;
		at += begins(at, "SCATTER") ? strlen("SCATTER") : 0;
		at += begins(at, "PF") ? 3 : 0; /* GATHERPF0DPS */
		append(text, "vm%s%c", *at == 'Q' ? "64" : "32", operand->vsib | 0x20);
		return true;
	}
	append(text, operand->is_moffs ? "moffs" : "m");
	if (operand->width)
		append(text, "%u", operand->width);
	append(text, "%s", operand->suffix);
	return true;
}

static bool append_operand(struct text *text, const struct uops_operand *operand, const char *mnemonic,
			   const char *string)
{
	switch (operand->type) {
	case UOPS_REGISTER:
		append_register(text, operand, mnemonic);
		return true;
	case UOPS_MEMORY:
		return append_memory(text, operand, mnemonic);
	case UOPS_ADDRESS:
		if (strcmp(mnemonic, "LEA") == 0)
			return append_shape(text, string);
		append(text, "m");
		return true;
	case UOPS_IMMEDIATE:
		if (operand->is_implicit)
			append(text, "1");
		else
			append(text, "imm%u", operand->width);
		return true;
	case UOPS_BRANCH:
		append(text, "rel%u", operand->width);
		return true;
	default:
		return false;
	}
}

/* Whether the operand is in the form's text. */
static bool shows(const struct uops_instruction *instruction, const struct uops_operand *operand)
{
	if (operand->type == UOPS_FLAGS || operand->is_suppressed || operand->is_mask)
		return false;
	/* "FADD (ST0, M32)" is FADD m32. */
	if (operand->type == UOPS_REGISTER && operand->is_implicit && begins(operand->first, "ST"))
		for (size_t i = 0; i < instruction->n_operands; i++)
			if (instruction->operands[i].type == UOPS_MEMORY)
				return false;
	return true;
}

static unsigned string_width(char suffix)
{
	return suffix == 'B' ? 8 : suffix == 'W' ? 16 : suffix == 'D' ? 32 : suffix == 'Q' ? 64 : 0;
}

/* "STOSB m8": string instructions show what they access. */
static bool append_string(struct text *text, struct uops_instruction *instruction)
{
	for (size_t i = 0; i < ARRAY_LENGTH(strings); i++) {
		const char *suffix = instruction->iclass + strlen(strings[i].stem);
		unsigned n = 0;

		if (!begins(instruction->iclass, strings[i].stem) || !string_width(suffix[0]) || suffix[1])
			continue;
		for (size_t k = 0; k < instruction->n_operands; k++)
			if (instruction->operands[k].type == UOPS_MEMORY)
				instruction->operands[k].position = ++n;
		append(text, " m%u", string_width(*suffix));
		if (strings[i].n_memory == 2)
			append(text, ", m%u", string_width(*suffix));
		return true;
	}
	return false;
}

bool uops_form(struct uops_instruction *instruction, char bytes[FORM_TEXT_BYTES], bool *is_special)
{
	struct text text = {.bytes = bytes, .size = FORM_TEXT_BYTES};
	const struct uops_operand *last = NULL; /* that is no immediate */
	char mnemonic[UOPS_TEXT_BYTES];
	bool is_locked, is_masked = false;
	unsigned n = 0;

	*is_special = false;
	if (instruction->is_unusable || !split_mnemonic(instruction->iclass, mnemonic, &is_locked))
		return false;
	append(&text, "%s%s", is_locked ? "LOCK " : "", mnemonic);
	if (append_string(&text, instruction))
		return !text.is_cut;
	for (size_t i = 0; i < instruction->n_operands; i++) {
		const struct uops_operand *operand = &instruction->operands[i];

		is_masked |= operand->is_mask;
		if (shows(instruction, operand) && operand->type != UOPS_IMMEDIATE)
			last = operand;
	}
	for (size_t i = 0; i < instruction->n_operands; i++) {
		struct uops_operand *operand = &instruction->operands[i];

		if (!shows(instruction, operand))
			continue;
		operand->position = ++n;
		append(&text, n == 1 ? " " : ", ");
		if (!append_operand(&text, operand, mnemonic, instruction->string))
			return false;
		if (n == 1 && is_masked)
			append(&text, instruction->is_zeroing ? "{k}{z}" : "{k}");
		if (operand == last && instruction->is_rounding)
			append(&text, "{er}");
		else if (operand == last && instruction->is_sae)
			append(&text, "{sae}");
		*is_special |= operand->is_implicit;
	}
	return !text.is_cut;
}
