/* The last part of scopes.h: what is written when the program ends. Not for direct use. */
#ifndef ITRACE_SCOPES_REPORT_H
#define ITRACE_SCOPES_REPORT_H

#include <itrace/scopes_table.h>

#ifndef PA_DISABLE

#include <errno.h>
#include <stdio.h>

/* For the rate of ticks: see itrace_ns_per_tick_(). A shorter program waits at its end until that has passed. */
#define ITRACE_SCOPE_LEAST_RUN_NS_ 2000000

enum itrace_scope_format_ { ITRACE_SCOPE_TEXT_, ITRACE_SCOPE_JSON_, ITRACE_SCOPE_CSV_ };

#ifdef __cplusplus
extern "C" {
#endif

/* Not for a program with more rights than its user; hidden by strict ISO modes: see ticks.h. */
extern char *itrace_secure_getenv_(const char *name) __asm__("secure_getenv");

int itrace_scope_compare_(const void *left, const void *right);
int itrace_scope_ends_in_(const char *text, const char *end);
void itrace_scope_write_ns_(FILE *out, double ns);
void itrace_scope_write_time_(FILE *out, double ns);
void itrace_scope_write_quoted_(FILE *out, const char *text, enum itrace_scope_format_ format);
void itrace_scope_write_text_(FILE *out, double ns_per_tick);
void itrace_scope_write_data_(FILE *out, double ns_per_tick, enum itrace_scope_format_ format);
void itrace_scope_write_(FILE *out, double ns_per_tick, enum itrace_scope_format_ format);
int itrace_scope_write_file_(const char *path, double ns_per_tick, enum itrace_scope_format_ format);

/* Largest self time first, then by place, so that the order is the same in every run with the same times. */
ITRACE_SHARED_ int itrace_scope_compare_(const void *left, const void *right)
{
	const struct itrace_scope_sum_ *a = (const struct itrace_scope_sum_ *)left;
	const struct itrace_scope_sum_ *b = (const struct itrace_scope_sum_ *)right;
	int order;

	if (a->record.self != b->record.self)
		return a->record.self > b->record.self ? -1 : 1;
	order = strcmp(a->file, b->file);
	if (order)
		return order;
	return a->line < b->line ? -1 : a->line > b->line;
}

ITRACE_SHARED_ int itrace_scope_ends_in_(const char *text, const char *end)
{
	size_t text_bytes = strlen(text), end_bytes = strlen(end);

	return text_bytes > end_bytes && strcmp(text + text_bytes - end_bytes, end) == 0;
}

/* With one decimal, and a point in every locale. */
ITRACE_SHARED_ void itrace_scope_write_ns_(FILE *out, double ns)
{
	unsigned long long tenths = ns > 0 ? (unsigned long long)(ns * 10 + 0.5) : 0;

	fprintf(out, "%llu.%llu", tenths / 10, tenths % 10);
}

ITRACE_SHARED_ void itrace_scope_write_time_(FILE *out, double ns)
{
	static const char units[4][3] = {"ns", "us", "ms", "s "};
	int unit = 0;

	if (ns < 0)
		ns = 0;
	for (; unit < 3 && ns >= 999.95; unit++)
		ns /= 1000;
	fprintf(out, " %*.*f %s", 7, unit ? 3 : 1, ns, units[unit]);
}

/* As JSON and CSV want it. */
ITRACE_SHARED_ void itrace_scope_write_quoted_(FILE *out, const char *text, enum itrace_scope_format_ format)
{
	putc('"', out);
	for (; *text; text++) {
		if (format == ITRACE_SCOPE_CSV_ && *text == '"')
			fputs("\"\"", out);
		else if (format == ITRACE_SCOPE_CSV_)
			putc(*text, out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < ' ')
			fprintf(out, "\\u%04x", (unsigned)*text);
		else
			putc(*text, out);
	}
	putc('"', out);
}

ITRACE_SHARED_ void itrace_scope_write_text_(FILE *out, double ns_per_tick)
{
	uint32_t i, j;

	fprintf(out, "scopes of process %ld; subtracted for each pass: %.1f ns\n", (long)getpid(),
		(double)itrace_scopes_.pair * ns_per_tick);
	fprintf(out, "%12s%11s%11s%11s%11s%11s  %s\n", "calls", "self  ", "total  ", "mean  ", "min  ", "max  ",
		"scope");
	for (i = 0; i < itrace_scopes_.n_sums; i++) {
		const struct itrace_scope_sum_ *sum = &itrace_scopes_.sums[i];
		const struct itrace_scope_record_ *record = &sum->record;
		double columns[5];

		if (!record->calls)
			continue;
		columns[0] = (double)record->self;
		columns[1] = (double)record->total;
		columns[2] = (double)record->sum / (double)record->calls;
		columns[3] = (double)record->min;
		columns[4] = (double)record->max;
		fprintf(out, "%12llu", (unsigned long long)record->calls);
		for (j = 0; j < 5; j++)
			itrace_scope_write_time_(out, columns[j] * ns_per_tick);
		fprintf(out, "  %s (%s:%lu)\n", sum->name, sum->file, (unsigned long)sum->line);
	}
	for (i = 0; i < itrace_scopes_.n_sums; i++) {
		const struct itrace_scope_sum_ *sum = &itrace_scopes_.sums[i];

		if (sum->record.backwards || sum->record.overlong)
			fprintf(out,
				"left out of %s (%s:%lu): %llu where the clock ran backwards, "
				"%llu longer than %.0f s\n",
				sum->name, sum->file, (unsigned long)sum->line,
				(unsigned long long)sum->record.backwards, (unsigned long long)sum->record.overlong,
				(double)PA_SCOPE_LONGEST_S);
	}
}

ITRACE_SHARED_ void itrace_scope_write_data_(FILE *out, double ns_per_tick, enum itrace_scope_format_ format)
{
	static const char names[9][16] = {"line",   "calls",  "total_ns",  "self_ns", "mean_ns",
					  "min_ns", "max_ns", "backwards", "overlong"};
	const int json = format == ITRACE_SCOPE_JSON_;
	uint32_t i, j, n_written = 0;

	if (json) {
		fprintf(out, "{\"pid\": %ld, \"ticks_per_second\": %.0f, \"overhead_ns\": ", (long)getpid(),
			1e9 / ns_per_tick);
		itrace_scope_write_ns_(out, (double)itrace_scopes_.pair * ns_per_tick);
		fputs(", \"scopes\": [", out);
	} else {
		fputs("scope,file", out);
		for (j = 0; j < 9; j++)
			fprintf(out, ",%s", names[j]);
		fputs("\n", out);
	}
	for (i = 0; i < itrace_scopes_.n_sums; i++) {
		const struct itrace_scope_sum_ *sum = &itrace_scopes_.sums[i];
		const struct itrace_scope_record_ *record = &sum->record;
		double values[9];

		if (!record->calls && !record->backwards && !record->overlong)
			continue;
		values[0] = (double)sum->line;
		values[1] = (double)record->calls;
		values[2] = (double)record->total * ns_per_tick;
		values[3] = (double)record->self * ns_per_tick;
		values[4] = record->calls ? (double)record->sum / (double)record->calls * ns_per_tick : 0;
		values[5] = record->calls ? (double)record->min * ns_per_tick : 0;
		values[6] = record->calls ? (double)record->max * ns_per_tick : 0;
		values[7] = (double)record->backwards;
		values[8] = (double)record->overlong;
		if (json)
			fputs(n_written++ ? ",\n{\"scope\": " : "\n{\"scope\": ", out);
		itrace_scope_write_quoted_(out, sum->name, format);
		fputs(json ? ", \"file\": " : ",", out);
		itrace_scope_write_quoted_(out, sum->file, format);
		for (j = 0; j < 9; j++) {
			if (json)
				fprintf(out, ", \"%s\": ", names[j]);
			else
				putc(',', out);
			if (j >= 2 && j <= 6)
				itrace_scope_write_ns_(out, values[j]);
			else
				fprintf(out, "%.0f", values[j]);
		}
		fputs(json ? "}" : "\n", out);
	}
	if (json)
		fputs("\n]}\n", out);
}

ITRACE_SHARED_ void itrace_scope_write_(FILE *out, double ns_per_tick, enum itrace_scope_format_ format)
{
	if (format == ITRACE_SCOPE_TEXT_)
		itrace_scope_write_text_(out, ns_per_tick);
	else
		itrace_scope_write_data_(out, ns_per_tick, format);
}

/* False if the file could not be written. */
ITRACE_SHARED_ int itrace_scope_write_file_(const char *path, double ns_per_tick, enum itrace_scope_format_ format)
{
	char of_child[4096];
	FILE *out;
	int ok;

	/* Else it would overwrite its parent's. */
	if (getpid() != itrace_scopes_.pid) {
		snprintf(of_child, sizeof(of_child), "%s.%ld", path, (long)getpid());
		path = of_child;
	}
	out = fopen(path, "w");
	if (!out)
		return 0;
	itrace_scope_write_(out, ns_per_tick, format);
	ok = !ferror(out);
	return fclose(out) == 0 && ok;
}

ITRACE_SHARED_ void itrace_scope_at_exit_(void)
{
	const char *where = itrace_secure_getenv_("PA_SCOPE_REPORT");
	enum itrace_scope_format_ format = ITRACE_SCOPE_TEXT_;
	struct itrace_scope_thread_ *thread;
	uint64_t n_passed = 0;
	uint32_t i;

	where = where ? where : "";
	pthread_mutex_lock(&itrace_scopes_.lock);
	for (thread = itrace_scopes_.threads; thread; thread = thread->next)
		itrace_scope_merge_(thread);
	for (i = 0; i < itrace_scopes_.n_sums; i++) {
		const struct itrace_scope_record_ *record = &itrace_scopes_.sums[i].record;

		n_passed += record->calls + record->backwards + record->overlong;
	}
	if (n_passed && strcmp(where, "off") != 0) {
		double ns_per_tick = itrace_ns_per_tick_(ITRACE_SCOPE_LEAST_RUN_NS_);

		qsort(itrace_scopes_.sums, itrace_scopes_.n_sums, sizeof(*itrace_scopes_.sums), itrace_scope_compare_);
		if (strcmp(where, "json") == 0 || itrace_scope_ends_in_(where, ".json"))
			format = ITRACE_SCOPE_JSON_;
		else if (strcmp(where, "csv") == 0 || itrace_scope_ends_in_(where, ".csv"))
			format = ITRACE_SCOPE_CSV_;
		if (!*where || strcmp(where, "json") == 0 || strcmp(where, "csv") == 0) {
			itrace_scope_write_(stderr, ns_per_tick, format);
		} else if (!itrace_scope_write_file_(where, ns_per_tick, format)) {
			fprintf(stderr, "scopes: cannot write '%s' (%s); here they are instead:\n", where,
				strerror(errno));
			itrace_scope_write_(stderr, ns_per_tick, format);
		}
	}
	pthread_mutex_unlock(&itrace_scopes_.lock);
	/* A library's report is due when it is unloaded: later its code must not be called for threads that end. */
	pthread_key_delete(itrace_scopes_.key);
}

#ifdef __cplusplus
}
#endif

#endif

#endif
