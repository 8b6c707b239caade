#include "timing/instruction_operands.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "decode/insn.h"

/* Vector registers 0 to 11 are destinations, 12 to 14 sources. In files of eight registers, 7 is a source. */
enum { N_VECTOR_DESTINATIONS = 12, FIRST_SMALL = 1, N_SMALL_DESTINATIONS = 6, N_HIGH_BYTES = 4 };

/* Instructions that change state of the thread or the system that the timer needs, or that wait. */
static const char *const excluded[] = {
	"XRSTOR", "FXRSTOR", "FRSTOR", "FLDENV",  "FLDCW",    "LDMXCSR", "VLDMXCSR", "WRFSBASE", "WRGSBASE", "WRPKRU",
	"CPUID",  "INT",     "HLT",    "SYSCALL", "SYSENTER", "UD0",	 "UD1",	     "UD2",	 "XBEGIN",   "XEND",
	"XTEST",  "STI",     "CLI",    "SWAPGS",  "MWAIT",    "UMWAIT",	 "TPAUSE",   "UIRET",	 "STUI",     "CLUI",
	"TESTUI", "XSETBV",  "RDPMC",  "FNSAVE",  "FNINIT",   "EMMS",	 "FEMMS",
};

static bool is_excluded(const struct form *form, const struct insn *insn, const struct insn_operands *operands)
{
	for (size_t i = 0; i < ARRAY_LENGTH(excluded); i++)
		if (strncmp(form->mnemonic, excluded[i], strlen(excluded[i])) == 0 &&
		    (form->mnemonic[strlen(excluded[i])] == '\0' || strstr(excluded[i], "RSTOR")))
			return true;
	return insn->flow != FLOW_NEXT || insn->pops_flags || insn->pushes_flags || operands->moves_stack ||
	       operands->st_pushes || strcmp(form->category, "string") == 0 ||
	       strcmp(form->category, "stringop") == 0 || strcmp(form->category, "system") == 0 ||
	       strstr(form->text, "moffs");
}

static enum place_kind kind_of_operand(const struct form_operand *operand)
{
	if (form_operand_is(operand, "r"))
		return operand->n_text == 3 && operand->text[2] == 'h' ? PLACE_HIGH : PLACE_GENERAL;
	if (form_operand_is(operand, "mm"))
		return PLACE_MMX;
	return form_operand_is(operand, "k") ? PLACE_MASK : PLACE_VECTOR;
}

/* Chooses distinct registers of the operand's kind. */
static uint8_t choose_first(const struct form_layout *layout, size_t operand)
{
	const struct form_operand *part = &layout->parts.operands[operand];
	static const uint8_t general[] = {8, 9, 10, 11, 14, 5};

	if (*part->text == 'm' && !form_operand_is(part, "mm"))
		return CHAIN_BASE;
	if (*part->text == 'v' || *part->text == '[')
		return CHAIN_BASE;
	if (layout->has_high_bytes && form_operand_is(part, "r"))
		return (uint8_t)operand;
	if (form_operand_is(part, "r"))
		return general[operand];
	return form_operand_is(part, "st") ? (uint8_t)(operand ? 0 : 1) : (uint8_t)(operand + 1);
}

static struct used_place *find_place(struct form_layout *layout, const struct place *place)
{
	for (size_t i = 0; i < layout->n_places; i++)
		if (layout->places[i].place.kind == place->kind && layout->places[i].place.number == place->number)
			return &layout->places[i];
	return NULL;
}

static void add_place(struct form_layout *layout, const struct used_place *added)
{
	struct used_place *place = find_place(layout, &added->place);

	if (place) {
		place->is_read |= added->is_read;
		place->is_written |= added->is_written;
	} else if (layout->n_places < MAX_PLACES) {
		layout->places[layout->n_places++] = *added;
	}
}

static bool place_of_register(const struct insn_register *reg, struct place *out)
{
	static const enum place_kind kinds[] = {[REGISTER_GENERAL] = PLACE_GENERAL,
						[REGISTER_VECTOR] = PLACE_VECTOR,
						[REGISTER_MMX] = PLACE_MMX,
						[REGISTER_MASK] = PLACE_MASK};

	*out = (struct place){.number = reg->number};
	switch (reg->file) {
	case REGISTER_GENERAL:
	case REGISTER_VECTOR:
	case REGISTER_MMX:
	case REGISTER_MASK:
		out->kind = kinds[reg->file];
		if (reg->file == REGISTER_GENERAL && reg->first_bit == 8)
			out->kind = PLACE_HIGH;
		return true;
	default:
		return false;
	}
}

/* Adds an operand that the form does not show. */
static void add_hidden(struct form_layout *layout, const struct insn_operand *operand, bool is_mask)
{
	static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};
	struct used_place place = {.operand = -1, .is_read = operand->is_read, .is_written = operand->is_written};

	if (!place_of_register(&operand->reg, &place.place))
		return;
	if (is_mask)
		snprintf(place.name, sizeof(place.name), "k");
	else if (place.place.kind == PLACE_GENERAL && place.place.number < ARRAY_LENGTH(names))
		snprintf(place.name, sizeof(place.name), "%s", names[place.place.number]);
	else if (place.place.kind == PLACE_VECTOR)
		snprintf(place.name, sizeof(place.name), "xmm%u", place.place.number);
	else
		return;
	add_place(layout, &place);
}

static void add_shown(struct form_layout *layout, const struct insn_operand *operand, int number)
{
	const struct form_operand *part = &layout->parts.operands[number];
	/* CL and DX cannot be chosen. */
	bool is_fixed = form_operand_is(part, "cl") || form_operand_is(part, "dx");
	struct used_place place = {
		.name = {(char)('1' + number)},
		.operand = is_fixed ? -1 : number,
		.is_read = operand->is_read,
		.is_written = operand->is_written,
	};

	if (operand->kind == OPERAND_MEMORY) {
		layout->memory_bits = operand->bits;
		layout->reads_memory |= operand->is_read;
		layout->writes_memory |= operand->is_written;
		if (operand->base.file != REGISTER_GENERAL || operand->base.number != CHAIN_BASE)
			return;
		place.name[1] = 'a';
		place.place = (struct place){.kind = PLACE_ADDRESS, .number = CHAIN_BASE};
		place.is_read = true;
		place.is_written = false;
	} else if (operand->kind != OPERAND_REGISTER || !place_of_register(&operand->reg, &place.place)) {
		return;
	}
	add_place(layout, &place);
}

static bool is_mask_operand(const struct form_layout *layout, const struct insn_operand *operand, size_t shown)
{
	if (operand->kind != OPERAND_REGISTER || operand->reg.file != REGISTER_MASK || shown != 1)
		return false;
	return operand->reg.number == 0 || layout->parts.n_operands < 2 ||
	       kind_of_operand(&layout->parts.operands[1]) != PLACE_MASK || layout->parts.operands[0].is_masked;
}

static void find_places(struct form_layout *layout)
{
	const struct insn_operands *operands = &layout->operands;
	struct used_place flags = {.place.kind = PLACE_FLAGS, .name = "flags", .operand = -1};
	size_t shown = 0;
	bool had_mask = false;

	for (size_t i = 0; i < operands->n_operands; i++) {
		const struct insn_operand *operand = &operands->operands[i];

		if (!had_mask && is_mask_operand(layout, operand, shown)) {
			had_mask = true;
			if (operand->reg.number)
				add_hidden(layout, operand, true);
		} else if (operand->is_hidden) {
			add_hidden(layout, operand, false);
		} else {
			add_shown(layout, operand, (int)shown++);
		}
	}
	flags.is_read = operands->read.flags;
	flags.is_written = operands->written.flags;
	flags.place.flags = operands->written.flags;
	if (flags.is_read || flags.is_written)
		add_place(layout, &flags);
}

static void find_pool(struct form_layout *layout)
{
	/* RSI, RSP and R12 to R15 have other uses. */
	static const uint8_t candidates[] = {8, 9, 10, 11, 3, 7, 5, 0, 1, 2};
	uint16_t hidden = 0;

	for (size_t i = 0; i < layout->operands.n_operands; i++) {
		const struct insn_operand *operand = &layout->operands.operands[i];

		if (operand->is_hidden && operand->kind == OPERAND_REGISTER && operand->reg.file == REGISTER_GENERAL)
			hidden |= (uint16_t)(1u << operand->reg.number);
	}
	if (strstr(layout->form_text, ", cl"))
		hidden |= 1u << GENERAL_RCX;
	for (size_t i = 0; i < ARRAY_LENGTH(candidates); i++)
		if (!(hidden >> candidates[i] & 1))
			layout->general_pool[layout->n_general_pool++] = candidates[i];
}

static bool find_instruction(struct form_layout *layout)
{
	uint8_t bytes[INSN_MAX_BYTES];
	bool is_same = layout->parts.is_same;
	struct insn insn;
	struct form form;
	size_t length;

	layout->choice = (struct insn_choice){.index = CHAIN_CONSTANT, .mask = 6, .immediate = 5};
	for (size_t i = 0; i < layout->parts.n_operands; i++)
		layout->choice.registers[i] = choose_first(layout,
							   is_same && i + 1 == layout->parts.n_operands ? i - 1 : i);
	if (strstr(layout->form_text, " vm"))
		layout->choice.index = TIMED_CODE_ZERO_VECTOR;
	layout->has_gather = layout->choice.index == TIMED_CODE_ZERO_VECTOR;
	length = insn_encode(layout->form_text, &layout->choice, bytes);
	if (!length || !insn_decode(bytes, length, &insn) || !insn_operands_decode(bytes, length, &layout->operands))
		return false;
	form_of_bytes(bytes, length, &form);
	return !is_excluded(&form, &insn, &layout->operands);
}

bool form_layout_init(struct form_layout *layout, const char *form_text)
{
	*layout = (struct form_layout){.form_text = form_text};
	if (!form_text_parse(form_text, &layout->parts) || layout->parts.n_operands > INSN_MAX_FORM_OPERANDS ||
	    strchr(form_text, '*') != (strstr(form_text, "*s") ? strstr(form_text, "*s") : NULL))
		return false;
	layout->has_high_bytes = strstr(form_text, "r8h");
	layout->vectors = strstr(form_text, "zmm")   ? TIMED_CODE_ZMM
			  : strstr(form_text, "ymm") ? TIMED_CODE_YMM
						     : TIMED_CODE_XMM;
	if (!find_instruction(layout) || layout->vectors > timed_code_widest_vectors())
		return false;
	find_pool(layout);
	find_places(layout);
	return true;
}

size_t form_layout_n_copies(const struct form_layout *layout)
{
	size_t n_copies = N_VECTOR_DESTINATIONS, n_general = layout->n_general_pool;

	for (size_t i = 0; i < layout->n_places; i++) {
		const struct used_place *used = &layout->places[i];

		if (!used->is_written || used->operand < 0)
			continue;
		if (layout->has_high_bytes)
			return N_HIGH_BYTES;
		if (used->place.kind == PLACE_GENERAL && n_general < n_copies)
			n_copies = n_general;
		if ((used->place.kind == PLACE_MMX || used->place.kind == PLACE_MASK) &&
		    n_copies > N_SMALL_DESTINATIONS)
			n_copies = N_SMALL_DESTINATIONS;
	}
	return n_copies;
}

/* Returns a constant source, or destination number `copy` of its file. */
static uint8_t choose(const struct form_layout *layout, const struct used_place *used, size_t copy)
{
	switch (used->place.kind) {
	case PLACE_GENERAL:
		if (layout->has_high_bytes)
			return (uint8_t)((copy + (used->is_written ? 0 : 1)) % N_HIGH_BYTES);
		if (!used->is_written)
			return used->operand || layout->parts.n_operands == 1
				       ? CHAIN_CONSTANT
				       : layout->general_pool[layout->n_general_pool - 1];
		return layout->general_pool[copy % layout->n_general_pool];
	case PLACE_HIGH:
		return (uint8_t)((copy + (used->is_written ? 0 : 1)) % N_HIGH_BYTES);
	case PLACE_VECTOR:
		return used->is_written ? (uint8_t)(copy % N_VECTOR_DESTINATIONS)
					: (uint8_t)(CHAIN_CONSTANT - used->operand % 3);
	case PLACE_MMX:
	case PLACE_MASK:
		if (!used->is_written && !used->operand)
			return FIRST_SMALL;
		return used->is_written ? (uint8_t)(FIRST_SMALL + copy % N_SMALL_DESTINATIONS)
					: CHAIN_CONSTANT_MASK_MMX;
	default:
		return used->place.number;
	}
}

void form_layout_choose_copy(const struct form_layout *layout, size_t copy, struct insn_choice *out)
{
	size_t n_written = 0;

	*out = layout->choice;
	out->mask = layout->has_gather ? layout->choice.mask : CHAIN_CONSTANT_MASK_MMX;
	for (size_t i = 0; i < layout->n_places; i++) {
		const struct used_place *used = &layout->places[i];

		if (used->operand >= 0)
			/* Several destinations of one instruction are half the pool apart. */
			out->registers[used->operand] = choose(layout, used,
							       copy + (used->is_written ? n_written++ * 5 : 0));
	}
	if (layout->parts.is_same)
		out->registers[layout->parts.n_operands - 1] = out->registers[layout->parts.n_operands - 2];
	if (*layout->form_text == 'F' && layout->parts.n_operands)
		out->registers[0] = out->registers[0] ? (uint8_t)(1 + copy % (INSN_N_ST - 1)) : 0;
	if (layout->writes_memory)
		/* Some CPUs store twice a cycle, but only to one line. */
		out->displacement = (int32_t)(copy * (layout->memory_bits > 64 ? layout->memory_bits / 8 : 8));
}

void form_layout_fill(const struct form_layout *layout, uint8_t *data, size_t n_bytes, struct timed_code_state *out)
{
	const char *form_text = layout->form_text;
	size_t n = layout->parts.n_mnemonic;
	char last = n > 1 ? form_text[n - 1] : ' ', before = n > 1 ? form_text[n - 2] : ' ';
	bool is_packed_or_scalar = before == 'P' || before == 'S';
	bool is_division = strncmp(form_text, "DIV r", 5) == 0 || strncmp(form_text, "DIV m", 5) == 0 ||
			   strncmp(form_text, "IDIV", 4) == 0;
	bool is_x87 = *form_text == 'F' && form_text[1] != 'X';
	uint64_t element = 1;
	size_t element_bytes = 8;

	/* Numbers with a lowest bit set, near 1, so that no product or quotient is a special case. */
	if (is_x87 && strstr(form_text, "m32")) {
		element = 0x3f800001;
		element_bytes = 4;
	} else if (is_x87 && strstr(form_text, "m64")) {
		element = 0x3ff0000000000001;
	} else if (is_packed_or_scalar && last == 'D') {
		element = 0x3ff0000000000001;
	} else if (is_packed_or_scalar && last == 'S') {
		element = 0x3f800001;
		element_bytes = 4;
	}
	timed_code_state_init(out, element, element_bytes);
	for (size_t i = 0; i < n_bytes; i += element_bytes)
		memcpy(data + i, &element, element_bytes);
	/* 0 can be loaded without an execution unit. RCX may be a count. A division needs a dividend and a divisor of
	 * 1. */
	for (size_t i = 0; i < CHAIN_CARRIER; i++)
		if (i != GENERAL_RCX && (i == GENERAL_RDX || !is_division))
			out->general[i] = 0;
	out->general[CHAIN_BASE] = (uint64_t)(uintptr_t)data;
	out->general[CHAIN_ZERO] = 0;
}
