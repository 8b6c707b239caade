#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/format.h"

/* Where the instructions are written, and what their functions are called there. */
struct saver {
	const struct profile *profile;
	struct byte_writer *out;
	uint32_t *order;     /* [n_insns] index by place in the file */
	uint32_t *functions; /* [n_functions] number in the file by index: as they occur in the order */
};

static void put_section(struct byte_writer *out, const char *tag, struct byte_writer *payload)
{
	bytes_put_raw(out, tag, FORMAT_TAG_BYTES);
	bytes_put_uint(out, payload->n_bytes);
	bytes_put_raw(out, payload->bytes, payload->n_bytes);
	free(payload->bytes);
}

static void put_index(struct byte_writer *out, uint32_t index)
{
	bytes_put_uint(out, index == PROFILE_NONE ? 0 : (uint64_t)index + 1);
}

static const struct profile_insn *sorted_insns; /* qsort has no context */

static int compare_insns(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (sorted_insns[a].va != sorted_insns[b].va)
		return sorted_insns[a].va < sorted_insns[b].va ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Those at one address stay in the order in which they were met. */
static uint32_t *order_insns(const struct profile *profile)
{
	uint32_t *order = xcalloc(profile->n_insns, sizeof(*order));

	for (uint32_t i = 0; i < profile->n_insns; i++)
		order[i] = i;
	sorted_insns = profile->insns;
	qsort(order, profile->n_insns, sizeof(*order), compare_insns);
	return order;
}

static void number_functions(struct saver *saver)
{
	const struct profile *profile = saver->profile;
	uint32_t n = 0;

	saver->functions = xcalloc(profile->n_functions, sizeof(*saver->functions));
	memset(saver->functions, 0xff, profile->n_functions * sizeof(*saver->functions));
	for (size_t i = 0; i < profile->n_insns; i++) {
		uint32_t function = profile->insns[saver->order[i]].function;

		if (function != PROFILE_NONE && saver->functions[function] == PROFILE_NONE)
			saver->functions[function] = n++;
	}
	for (size_t i = 0; i < profile->n_functions; i++)
		if (saver->functions[i] == PROFILE_NONE)
			saver->functions[i] = n++;
}

static void put_program(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	struct byte_writer out = {0};
	size_t n_args = 0;

	while (profile->argv && profile->argv[n_args])
		n_args++;
	bytes_put_uint(&out, n_args);
	for (size_t i = 0; i < n_args; i++)
		bytes_put_text(&out, profile->argv[i]);
	bytes_put_uint(&out, profile->exited);
	bytes_put_int(&out, profile->exit_status);
	bytes_put_int(&out, profile->signal);
	bytes_put_text(&out, profile->engine ? profile->engine : "");
	bytes_put_uint(&out, profile->wall_ns);
	bytes_put_text(&out, ITRACE_VERSION);
	put_section(saver->out, TAG_PROGRAM, &out);
}

static void put_modules(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	struct byte_writer out = {0};

	bytes_put_uint(&out, profile->n_modules);
	for (size_t i = 0; i < profile->n_modules; i++) {
		const struct profile_module *module = &profile->modules[i];

		bytes_put_text(&out, module->path);
		bytes_put_uint(&out, module->start_va);
		bytes_put_uint(&out, module->end_va - module->start_va);
		bytes_put_uint(&out, module->bias);
		bytes_put_uint(&out, module->n_build_id);
		bytes_put_raw(&out, module->build_id, module->n_build_id);
	}
	for (size_t i = 0; i < profile->n_modules; i++)
		bytes_put_uint(&out, profile->modules[i].is_program);
	put_section(saver->out, TAG_MODULES, &out);
}

static void put_functions(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	uint32_t *indices = xcalloc(profile->n_functions, sizeof(*indices));
	struct byte_writer out = {0};

	for (uint32_t i = 0; i < profile->n_functions; i++)
		indices[saver->functions[i]] = i;
	bytes_put_uint(&out, profile->n_functions);
	for (size_t i = 0; i < profile->n_functions; i++) {
		const struct profile_function *function = &profile->functions[indices[i]];

		put_index(&out, function->module);
		bytes_put_text(&out, function->name);
	}
	put_section(saver->out, TAG_FUNCTIONS, &out);
	free(indices);
}

void format_put_reference(struct byte_writer *out, uint32_t index, uint32_t before)
{
	if (index == before)
		bytes_put_uint(out, SAME_AS_BEFORE);
	else
		bytes_put_uint(out, index == PROFILE_NONE ? NONE_AT_ALL : (uint64_t)index + FIRST_INDEX);
}

/* An instruction's distance from the start of its function, where the one before it in the function does not tell. */
static void put_offsets(const struct saver *saver, struct byte_writer *out)
{
	const struct profile *profile = saver->profile;
	uint64_t *starts = xcalloc(profile->n_functions, sizeof(*starts));
	bool *is_known = xcalloc(profile->n_functions, sizeof(*is_known));

	for (size_t i = 0; i < profile->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[saver->order[i]];
		uint64_t predicted = 0;

		if (insn->function == PROFILE_NONE)
			continue;
		if (is_known[insn->function])
			predicted = insn->va - starts[insn->function];
		bytes_put_int(out, (int64_t)(insn->function_offset - predicted));
		starts[insn->function] = insn->va - insn->function_offset;
		is_known[insn->function] = true;
	}
	free(starts);
	free(is_known);
}

/* Functions count backwards from the next that has not occurred, so that a new one always reads the same. */
static void put_functions_of_insns(const struct saver *saver, struct byte_writer *out)
{
	const struct profile *profile = saver->profile;
	uint32_t before = PROFILE_NONE, next = 0;

	for (size_t i = 0; i < profile->n_insns; i++) {
		uint32_t index = profile->insns[saver->order[i]].function;
		uint32_t number = index == PROFILE_NONE ? PROFILE_NONE : saver->functions[index];

		if (number == before || number == PROFILE_NONE)
			format_put_reference(out, number, before);
		else
			bytes_put_uint(out, next - number + FIRST_INDEX);
		next += number == next;
		before = number;
	}
}

static void put_insns(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	const struct profile_insn **insns = xcalloc(profile->n_insns, sizeof(*insns));
	uint32_t module = PROFILE_NONE;
	struct byte_writer out = {0};
	uint64_t expected_va = 0;

	for (size_t i = 0; i < profile->n_insns; i++)
		insns[i] = &profile->insns[saver->order[i]];
	bytes_put_uint(&out, profile->n_insns);
	for (size_t i = 0; i < profile->n_insns; i++) {
		bytes_put_int(&out, (int64_t)(insns[i]->va - expected_va));
		expected_va = insns[i]->va + insns[i]->length;
	}
	/* Length and bytes side by side: the same instruction then repeats as a whole, which compresses 9 % better. */
	for (size_t i = 0; i < profile->n_insns; i++) {
		bytes_put_uint(&out, insns[i]->length);
		bytes_put_raw(&out, insns[i]->bytes, insns[i]->length);
	}
	for (size_t i = 0; i < profile->n_insns; i++) {
		format_put_reference(&out, insns[i]->module, module);
		module = insns[i]->module;
	}
	put_functions_of_insns(saver, &out);
	put_offsets(saver, &out);
	put_section(saver->out, TAG_INSNS, &out);
	free(insns);
}

/* A form that the bytes of its instruction do not tell. */
static void put_named_forms(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	struct byte_writer out = {0}, rows = {0};
	size_t n_rows = 0, next = 0;

	for (size_t i = 0; i < profile->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[saver->order[i]];
		const char *text = profile->forms[insn->form].form.text;
		struct form form;

		/* Forms that only have a name begin with a parenthesis. */
		if (insn->length > 0 && text[0] != '(')
			continue;
		form_of_bytes(insn->bytes, insn->length, &form);
		if (strcmp(text, form.text) == 0)
			continue;
		bytes_put_uint(&rows, i - next);
		bytes_put_text(&rows, text);
		next = i + 1;
		n_rows++;
	}
	bytes_put_uint(&out, n_rows);
	bytes_put_raw(&out, rows.bytes, rows.n_bytes);
	free(rows.bytes);
	put_section(saver->out, TAG_FORMS, &out);
}

static void put_lines(const struct saver *saver)
{
	struct byte_writer out = {0};

	/* Only the unknown one: nobody looked, or there was nothing to find. */
	if (saver->profile->n_locations == 1)
		return;
	format_put_lines(saver->profile, saver->order, saver->functions, &out);
	put_section(saver->out, TAG_LINES, &out);
}

static void put_regions(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	uint32_t *positions = xcalloc(profile->n_insns, sizeof(*positions));

	for (uint32_t i = 0; i < profile->n_insns; i++)
		positions[saver->order[i]] = i;
	if (profile->has_paths) {
		struct byte_writer out = {0};

		format_put_paths(profile, positions, &out);
		put_section(saver->out, TAG_PATHS, &out);
	}
	if (profile->n_caches) {
		struct byte_writer out = {0};

		format_put_caches(profile, &out);
		put_section(saver->out, TAG_CACHES, &out);
	}
	if (profile->n_threads) {
		struct byte_writer out = {0};

		format_put_threads(profile, &out);
		put_section(saver->out, TAG_THREADS, &out);
	}
	for (size_t i = 0; i < profile->n_regions; i++) {
		struct byte_writer out = {0};

		format_put_region(profile, &profile->regions[i], saver->order, positions, &out);
		put_section(saver->out, TAG_REGION, &out);
		if (profile->n_threads) {
			out = (struct byte_writer){0};
			format_put_shares(&profile->regions[i], &out);
			put_section(saver->out, TAG_SHARES, &out);
		}
		if (profile->has_calls) {
			out = (struct byte_writer){0};
			format_put_calls(&profile->regions[i], positions, &out);
			put_section(saver->out, TAG_CALLS, &out);
		}
		if (profile->has_paths) {
			out = (struct byte_writer){0};
			format_put_pairs(profile, &profile->regions[i], saver->order, &out);
			put_section(saver->out, TAG_PAIRS, &out);
		}
		if (profile->n_caches) {
			out = (struct byte_writer){0};
			format_put_misses(profile, &profile->regions[i], saver->order, &out);
			put_section(saver->out, TAG_MISSES, &out);
		}
	}
	free(positions);
}

static void put_notes(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	struct byte_writer out = {0};

	bytes_put_uint(&out, profile->n_notes);
	for (size_t i = 0; i < profile->n_notes; i++)
		bytes_put_text(&out, profile->notes[i]);
	put_section(saver->out, TAG_NOTES, &out);
}

void format_encode(const struct profile *profile, struct byte_writer *writer)
{
	struct saver saver = {.profile = profile, .out = writer, .order = order_insns(profile)};
	struct byte_writer nothing = {0};

	number_functions(&saver);
	put_program(&saver);
	put_modules(&saver);
	put_functions(&saver);
	put_insns(&saver);
	put_named_forms(&saver);
	put_lines(&saver);
	put_regions(&saver);
	put_notes(&saver);
	put_section(writer, TAG_END, &nothing);
	free(saver.order);
	free(saver.functions);
}
