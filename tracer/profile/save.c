#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/format.h"

/* Where the instructions are written, and what their functions are called there. */
struct saver {
	const struct profile *profile;
	struct byte_writer *out;
	uint32_t *order;	    /* [n_insns] index by place in the file */
	uint32_t *functions;	    /* [n_functions] number in the file by index: as they occur in the order */
	struct profile_insn *insns; /* [n_insns] in that order, with functions by number */
	bool is_coded;		    /* else numbers are plain */
	uint64_t *n_decisions;	    /* that the coders took so far */
};

/* Slots for each item of a section. More make it smaller, but take longer to read: measured on python3, twice as many for
 * instructions and lines save 3 % of these, and half of them cost 4 %. */
#define SLOTS_FEW 16
#define SLOTS_MANY 48

static struct byte_writer begin_section(const struct saver *saver, size_t n_items, unsigned slots)
{
	struct byte_writer out = {0};
	unsigned bits = CODER_MIN_SLOT_BITS;

	while (bits < CODER_MAX_SLOT_BITS && (size_t)1 << bits < slots * n_items)
		bits++;
	if (saver->is_coded)
		out.coder = coder_create(bits, NULL, 0);
	return out;
}

static void end_section(const struct saver *saver, const char *tag, struct byte_writer *payload)
{
	struct byte_writer *out = saver->out;

	bytes_put_raw(out, tag, FORMAT_TAG_BYTES);
	if (payload->coder) {
		size_t n_bytes;
		const uint8_t *bytes = coder_finish(payload->coder, &n_bytes);

		bytes_put_uint(out, n_bytes + 1);
		bytes_put_raw(out, &(uint8_t){(uint8_t)coder_slot_bits(payload->coder)}, 1);
		bytes_put_raw(out, bytes, n_bytes);
		*saver->n_decisions += coder_decisions(payload->coder);
	} else {
		bytes_put_uint(out, payload->n_bytes);
		bytes_put_raw(out, payload->bytes, payload->n_bytes);
	}
	coder_destroy(payload->coder);
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
	struct byte_writer out = begin_section(saver, 1, SLOTS_MANY);
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
	end_section(saver, TAG_PROGRAM, &out);
}

static void put_modules(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	struct byte_writer out = begin_section(saver, profile->n_modules, SLOTS_MANY);

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
	end_section(saver, TAG_MODULES, &out);
}

static void put_functions(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	uint32_t *indices = xcalloc(profile->n_functions, sizeof(*indices));
	struct byte_writer out = begin_section(saver, profile->n_functions, 16 * SLOTS_MANY);

	for (uint32_t i = 0; i < profile->n_functions; i++)
		indices[saver->functions[i]] = i;
	bytes_put_uint(&out, profile->n_functions);
	for (size_t i = 0; i < profile->n_functions; i++) {
		const struct profile_function *function = &profile->functions[indices[i]];

		put_index(&out, function->module);
		bytes_put_text(&out, function->name);
	}
	end_section(saver, TAG_FUNCTIONS, &out);
	free(indices);
}

/* In the order of the file, and with functions as they are numbered there. To be freed. */
static struct profile_insn *place_insns(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	struct profile_insn *insns = xcalloc(profile->n_insns, sizeof(*insns));

	for (size_t i = 0; i < profile->n_insns; i++) {
		insns[i] = profile->insns[saver->order[i]];
		if (insns[i].function != PROFILE_NONE)
			insns[i].function = saver->functions[insns[i].function];
	}
	return insns;
}

static void put_insns(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	struct byte_writer out = begin_section(saver, profile->n_insns, SLOTS_MANY);

	bytes_put_uint(&out, profile->n_insns);
	format_io_insns(&(struct bytes_io){.writer = &out}, saver->insns, profile->n_insns, profile->n_functions,
			profile->n_modules);
	end_section(saver, TAG_INSNS, &out);
}

/* Whether the bytes of an instruction do not tell its form. */
static bool has_named_form(const struct profile *profile, const struct profile_insn *insn)
{
	const char *text = profile->forms[insn->form].form.text;
	struct form form;

	/* Forms that only have a name begin with a parenthesis. */
	if (insn->length > 0 && text[0] != '(')
		return false;
	form_of_bytes(insn->bytes, insn->length, &form);
	return strcmp(text, form.text) != 0;
}

static void put_named_forms(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	struct byte_writer out = begin_section(saver, 1, SLOTS_MANY);
	size_t n_rows = 0, next = 0;

	for (size_t i = 0; i < profile->n_insns; i++)
		n_rows += has_named_form(profile, &saver->insns[i]);
	bytes_put_uint(&out, n_rows);
	for (size_t i = 0; i < profile->n_insns && n_rows > 0; i++) {
		if (!has_named_form(profile, &saver->insns[i]))
			continue;
		bytes_put_uint(&out, i - next);
		bytes_put_text(&out, profile->forms[saver->insns[i].form].form.text);
		next = i + 1;
		n_rows--;
	}
	end_section(saver, TAG_FORMS, &out);
}

static void put_lines(const struct saver *saver)
{
	struct byte_writer out;

	/* Only the unknown one: nobody looked, or there was nothing to find. */
	if (saver->profile->n_locations == 1)
		return;
	out = begin_section(saver, saver->profile->n_insns, SLOTS_MANY);
	format_put_lines(saver->profile, saver->order, saver->insns, saver->functions, &out);
	end_section(saver, TAG_LINES, &out);
}

static void put_regions(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	uint32_t *positions = xcalloc(profile->n_insns, sizeof(*positions));

	for (uint32_t i = 0; i < profile->n_insns; i++)
		positions[saver->order[i]] = i;
	if (profile->has_paths) {
		struct byte_writer out = begin_section(saver, profile->n_path_insns, SLOTS_FEW);

		format_put_paths(profile, positions, &out);
		end_section(saver, TAG_PATHS, &out);
	}
	if (profile->n_caches) {
		struct byte_writer out = begin_section(saver, profile->n_caches, SLOTS_MANY);

		format_put_caches(profile, &out);
		end_section(saver, TAG_CACHES, &out);
	}
	if (profile->n_threads) {
		struct byte_writer out = begin_section(saver, profile->n_threads, SLOTS_MANY);

		format_put_threads(profile, &out);
		end_section(saver, TAG_THREADS, &out);
	}
	for (size_t i = 0; i < profile->n_regions; i++) {
		const struct profile_region *region = &profile->regions[i];
		struct byte_writer out = begin_section(saver, region->n_counts, SLOTS_FEW);

		format_put_region(profile, region, saver->insns, positions, &out);
		end_section(saver, TAG_REGION, &out);
		if (profile->n_threads) {
			out = begin_section(saver, region->n_shares, SLOTS_MANY);
			format_put_shares(region, &out);
			end_section(saver, TAG_SHARES, &out);
		}
		if (profile->has_calls) {
			out = begin_section(saver, region->n_context_runs, SLOTS_MANY);
			format_put_calls(profile, region, saver->insns, positions, &out);
			end_section(saver, TAG_CALLS, &out);
		}
		if (profile->has_paths) {
			out = begin_section(saver, region->n_pairs, SLOTS_MANY);
			format_put_pairs(profile, region, saver->order, &out);
			end_section(saver, TAG_PAIRS, &out);
		}
		if (profile->n_caches) {
			out = begin_section(saver, profile->n_caches * region->n_counts, SLOTS_FEW);
			format_put_misses(profile, region, saver->order, &out);
			end_section(saver, TAG_MISSES, &out);
		}
	}
	free(positions);
}

static void put_notes(const struct saver *saver)
{
	const struct profile *profile = saver->profile;
	struct byte_writer out = begin_section(saver, profile->n_notes, 16 * SLOTS_MANY);

	bytes_put_uint(&out, profile->n_notes);
	for (size_t i = 0; i < profile->n_notes; i++)
		bytes_put_text(&out, profile->notes[i]);
	end_section(saver, TAG_NOTES, &out);
}

bool format_encode(const struct profile *profile, bool is_coded, struct byte_writer *writer)
{
	uint64_t n_decisions = 0;
	struct saver saver = {.profile = profile, .out = writer, .order = order_insns(profile)};
	struct byte_writer nothing;

	saver.n_decisions = &n_decisions;
	saver.is_coded = is_coded;
	number_functions(&saver);
	saver.insns = place_insns(&saver);
	put_program(&saver);
	put_modules(&saver);
	put_functions(&saver);
	put_insns(&saver);
	put_named_forms(&saver);
	put_lines(&saver);
	put_regions(&saver);
	put_notes(&saver);
	nothing = begin_section(&saver, 0, 0);
	end_section(&saver, TAG_END, &nothing);
	free(saver.order);
	free(saver.functions);
	free(saver.insns);
	return n_decisions <= FORMAT_MAX_DECISIONS;
}
