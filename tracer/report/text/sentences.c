#include "report/text/sentences.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/units.h"
#include "report/text/layout.h"

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
	paragraph_write(report->out, sentence->text, report->options->width, bold_bytes, report->options->color);
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

void sentence_print_name(FILE *out, const char *raw)
{
	char *name = escape_text(raw, ESCAPE_FOR_TERMINAL);

	fputs(name, out);
	free(name);
}

/* A form and how often it was executed, on one line. */
void sentence_print_form(FILE *out, const struct coverage_form *form)
{
	for (const char *at = form->text; *at; at++)
		fputc(*at == ' ' ? LAYOUT_NO_BREAK[0] : *at, out);
	fprintf(out, LAYOUT_NO_BREAK "(%s)", units_count(form->executions).text);
}

void sentence_print_count(FILE *out, uint64_t n, const char *noun)
{
	fprintf(out, "%s %s%s", units_count(n).text, noun, n == 1 ? "" : "s");
}

static void print_syscalls(FILE *out, const struct profile_region *region)
{
	const struct profile_syscall **sorted = section_sort_syscalls(region);
	uint64_t total = 0;

	for (size_t i = 0; i < region->n_syscalls; i++)
		total += region->syscalls[i].count;
	if (total > 0)
		sentence_print_count(out, total, "system call");
	else
		fputs("no system calls", out);
	for (size_t i = 0; i < region->n_syscalls; i++) {
		fputs(i == 0 ? " (" : ", ", out);
		sentence_print_name(out, sorted[i]->name);
		fprintf(out, "%s" LAYOUT_NO_BREAK "%s", sorted[i]->is_int80 ? "/int80" : "",
			units_count(sorted[i]->count).text);
	}
	if (region->n_syscalls > 0)
		fputc(')', out);
	free(sorted);
}

void sentence_write_headline(const struct report *report, const struct section *section)
{
	struct sentence sentence;
	FILE *out = sentence_begin(&sentence);
	size_t title_bytes;

	sentence_print_name(out, section->title);
	fflush(out);
	title_bytes = sentence.n_bytes;
	fputs(": ", out);
	sentence_print_count(out, section->region->visits, "visit");
	fputs(", ", out);
	sentence_print_count(out, section->executions, "instruction");
	if (section->iterations > 0) {
		fputs(" (", out);
		sentence_print_count(out, section->iterations, "REP iteration");
		fputc(')', out);
	}
	fputs(", ", out);
	print_syscalls(out, section->region);
	sentence_end(&sentence, report, title_bytes);
}

void sentence_write_notes(const struct report *report)
{
	for (size_t i = 0; i < report->n_models; i++) {
		struct sentence sentence;
		FILE *out;

		if (!model_note(report->models[i]))
			continue;
		out = sentence_begin(&sentence);
		sentence_print_name(out, model_name(report->models[i]));
		fputs(": ", out);
		sentence_print_name(out, model_note(report->models[i]));
		sentence_end(&sentence, report, 0);
	}
}
