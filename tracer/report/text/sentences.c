#include "report/text/sentences.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/isa_level.h"
#include "base/path.h"
#include "base/units.h"
#include "report/text/layout.h"

/* Number of forms without a cost that are named. The others are counted. */
#define N_FORMS_NAMED 3

/* Number of models without some costs that are named. The others are counted. */
#define N_MODELS_NAMED 3

FILE *sentence_begin(struct sentence *sentence)
{
	sentence->stream = open_memstream(&sentence->text, &sentence->n_bytes);
	if (!sentence->stream)
		abort();
	return sentence->stream;
}

void sentence_end(struct sentence *sentence, const struct report *report, size_t bold_bytes)
{
	fclose(sentence->stream);
	if (*sentence->text)
		paragraph_write(report->out, sentence->text, report->options->width, bold_bytes,
				report->options->color);
	free(sentence->text);
}

void sentence_write(const struct report *report, const char *format, ...)
{
	struct sentence sentence;
	va_list args;

	va_start(args, format);
	vfprintf(sentence_begin(&sentence), format, args);
	va_end(args);
	sentence_end(&sentence, report, 0);
}

static void print_unbroken(FILE *out, const char *text)
{
	for (; *text; text++)
		fprintf(out, "%.*s%s", *text != ' ', text, *text == ' ' ? LAYOUT_NO_BREAK : "");
}

void sentence_print_unknown_forms(FILE *out, const struct coverage *coverage)
{
	for (size_t i = 0; i < coverage->n_unknown && i < N_FORMS_NAMED; i++) {
		fputs(i == 0 ? " " : ", ", out);
		print_unbroken(out, coverage->unknown[i].text);
		fprintf(out, LAYOUT_NO_BREAK "(%s)", units_count(coverage->unknown[i].executions).text);
	}
	if (coverage->n_unknown > N_FORMS_NAMED)
		fprintf(out, ", %s more", units_count(coverage->n_unknown - N_FORMS_NAMED).text);
}

void sentence_print_count(FILE *out, uint64_t n, const char *noun)
{
	fprintf(out, "%s %s%s", units_count(n).text, noun, n == 1 ? "" : "s");
}

void sentence_print_cycles(FILE *out, const char *cycles)
{
	fprintf(out, "%s cycle%s", cycles, strcmp(cycles + (*cycles == '<'), "1") == 0 ? "" : "s");
}

static void print_syscalls(FILE *out, const struct region_analysis *region)
{
	size_t n_syscalls = region->costed.region->n_syscalls;
	uint64_t total = 0;

	for (size_t i = 0; i < n_syscalls; i++)
		total += region->syscalls[i]->count;
	if (total > 0)
		sentence_print_count(out, total, "system call");
	else
		fputs("no system calls", out);
	for (size_t i = 0; i < n_syscalls; i++)
		fprintf(out, "%s%s%s" LAYOUT_NO_BREAK "%s", i == 0 ? " (" : ", ", region->syscalls[i]->name,
			region->syscalls[i]->is_int80 ? "/int80" : "", units_count(region->syscalls[i]->count).text);
	fputs(n_syscalls > 0 ? ")" : "", out);
}

void sentence_write_headline(const struct report *report, const struct region_analysis *region)
{
	char *title = escape_text(region->title, ESCAPE_FOR_TERMINAL);
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	fprintf(out, "%s: ", title);
	sentence_print_count(out, region->costed.region->visits, "visit");
	fputs(", ", out);
	sentence_print_count(out, region->executions, "instruction");
	if (region->iterations > 0) {
		fputs(" (", out);
		sentence_print_count(out, region->iterations, "REP iteration");
		fputc(')', out);
	}
	fputs(", ", out);
	print_syscalls(out, region);
	sentence_end(&sentence, report, strlen(title));
	free(title);
}

static uint64_t executions_of(const struct region_analysis *region, size_t model, enum cost_match match)
{
	return match == COST_UNKNOWN ? region->estimates[model].unknown : region->estimates[model].fallback;
}

/* Returns the model with the most executions of this match among those not named yet; SIZE_MAX: none has any. */
static size_t find_worst(const struct region_analysis *region, const bool *is_named, enum cost_match match)
{
	size_t worst = SIZE_MAX;
	uint64_t most = 0;

	for (size_t i = 0; i < region->costed.n_models; i++) {
		if (is_named[i] || executions_of(region, i, match) <= most)
			continue;
		most = executions_of(region, i, match);
		worst = i;
	}
	return worst;
}

static void print_worst(FILE *out, const struct report *report, const struct region_analysis *region, size_t model,
			enum cost_match match)
{
	const struct coverage *coverage = &region->coverage[model];

	fprintf(out, "%s on %s (", units_share(executions_of(region, model, match), region->executions).text,
		model_name(report->models[model]));
	if (match == COST_UNKNOWN)
		print_unbroken(out, coverage->unknown[0].text);
	else
		fputs(coverage->rules[0].text, out);
	fputs((match == COST_UNKNOWN ? coverage->n_unknown : coverage->n_rules) > 1 ? " and others)" : ")", out);
}

void sentence_write_coverage(const struct report *report, const struct region_analysis *region, enum cost_match match)
{
	bool *is_named = xcalloc(report->n_models, sizeof(*is_named));
	size_t n_named = 0, n_more = 0, worst;
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);

	while ((worst = find_worst(region, is_named, match)) != SIZE_MAX) {
		is_named[worst] = true;
		if (n_named == N_MODELS_NAMED) {
			n_more++;
			continue;
		}
		fputs(n_named++		      ? ", "
		      : match == COST_UNKNOWN ? "executions without a cost: "
					      : "executions with the cost of a related form: ",
		      out);
		print_worst(out, report, region, worst, match);
	}
	if (n_more)
		fprintf(out, ", and %zu more model%s", n_more, n_more == 1 ? "" : "s");
	sentence_end(&sentence, report, 0);
	free(is_named);
}

static bool is_c_library(const struct profile *profile, uint32_t module)
{
	const char *name = module == PROFILE_NONE ? "" : path_file_name(profile->modules[module].path);

	return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libm.so", 7) == 0 ||
	       strncmp(name, "ld-linux", 8) == 0;
}

/* Returns true if the model has no cost for executed AVX-512 instructions of the C library. */
static bool lacks_library(const struct report *report, const struct region_analysis *region, size_t model)
{
	const struct profile *profile = report->profile;
	const struct profile_region *profiled = region->costed.region;

	for (size_t i = 0; i < profiled->n_counts && region->estimates[model].unknown > 0; i++) {
		const struct profile_insn *insn = &profile->insns[i];

		if (profiled->executions[i] && region->estimates[model].costs[insn->form].match == COST_UNKNOWN &&
		    strncmp(profile->forms[insn->form].form.isa_extension, "avx512", 6) == 0 &&
		    is_c_library(profile, insn->module))
			return true;
	}
	return false;
}

void sentence_write_library(const struct report *report, const struct region_analysis *region)
{
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);
	bool any = false;

	for (size_t i = 0; i < report->n_models; i++)
		if (lacks_library(report, region, i)) {
			fprintf(out, "%s%s",
				any ? ", " : "the C library chose AVX-512 functions, which have no cost on ",
				model_name(report->models[i]));
			any = true;
		}
	if (any)
		fprintf(out, "; --isa %s makes it choose others, as does GLIBC_TUNABLES=%s",
			isa_level_names[ISA_X86_64_V3], isa_level_tunables(ISA_X86_64_V3));
	sentence_end(&sentence, report, 0);
}

void sentence_write_notes(const struct report *report)
{
	for (size_t i = 0; i < report->n_models; i++)
		if (model_note(report->models[i]))
			sentence_write(report, "%s: %s", model_name(report->models[i]), model_note(report->models[i]));
}
