/* The report of scopes.h, written when the program ends. Not for direct use. */
#ifndef ITRACE_SCOPES_REPORT_H
#define ITRACE_SCOPES_REPORT_H

#include <itrace/scopes_table.h>

#if !defined(PA_DISABLE) && ITRACE_DEFINES_

#include <errno.h>
#include <stdio.h>
#include <sys/auxv.h>

/* Least time over which itrace_ns_per_tick_() measures the rate. A shorter program waits at its end. */
#define ITRACE_SCOPE_LEAST_RUN_NS_ 2000000

enum itrace_scope_format_ { ITRACE_SCOPE_TEXT_, ITRACE_SCOPE_JSON_, ITRACE_SCOPE_CSV_ };

/* The columns of numbers. */
enum itrace_scope_column_ {
	ITRACE_SCOPE_LINE_,
	ITRACE_SCOPE_CALLS_,
	ITRACE_SCOPE_TOTAL_NS_,
	ITRACE_SCOPE_SELF_NS_,
	ITRACE_SCOPE_MEAN_NS_,
	ITRACE_SCOPE_MIN_NS_,
	ITRACE_SCOPE_MAX_NS_,
	ITRACE_SCOPE_BACKWARDS_, /* calls left out because the clock ran backwards */
	ITRACE_SCOPE_OVERLONG_,	 /* calls left out because they took more than PA_SCOPE_LONGEST_S */
	ITRACE_SCOPE_N_COLUMNS_,
};

#ifdef __cplusplus
extern "C" {
#endif

ITRACE_SHARED_ int itrace_scope_compare_(const void *left, const void *right);
ITRACE_SHARED_ int itrace_scope_ends_in_(const char *text, const char *end);
ITRACE_SHARED_ void itrace_scope_write_ns_(FILE *out, double ns);
ITRACE_SHARED_ void itrace_scope_write_time_(FILE *out, double ns);
ITRACE_SHARED_ void itrace_scope_write_quoted_(FILE *out, const char *text, enum itrace_scope_format_ format);
ITRACE_SHARED_ int itrace_scope_values_(const struct itrace_scope_sum_ *sum, double ns_per_tick, double *values);
ITRACE_SHARED_ void itrace_scope_write_name_(FILE *out, const struct itrace_scope_sum_ *sum);
ITRACE_SHARED_ void itrace_scope_write_text_(FILE *out, double ns_per_tick);
ITRACE_SHARED_ void itrace_scope_write_data_(FILE *out, double ns_per_tick, enum itrace_scope_format_ format);
ITRACE_SHARED_ void itrace_scope_write_(FILE *out, double ns_per_tick, enum itrace_scope_format_ format);
ITRACE_SHARED_ int itrace_scope_write_file_(const char *path, double ns_per_tick, enum itrace_scope_format_ format);

/* By descending self time, then by file and line. */
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

/* Writes a time for JSON and CSV with one decimal, after a point in every locale. */
ITRACE_SHARED_ void itrace_scope_write_ns_(FILE *out, double ns)
{
	unsigned long long tenths = ns > 0 ? (unsigned long long)(ns * 10 + 0.5) : 0;

	fprintf(out, "%llu.%llu", tenths / 10, tenths % 10);
}

/* Writes a time for the table, with a unit. */
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

/* Sets all ITRACE_SCOPE_N_COLUMNS_ values. Returns 0 if the scope has never ended. */
ITRACE_SHARED_ int itrace_scope_values_(const struct itrace_scope_sum_ *sum, double ns_per_tick, double *values)
{
	const struct itrace_scope_record_ *record = &sum->record;
	const double calls = (double)record->calls;

	values[ITRACE_SCOPE_LINE_] = sum->line;
	values[ITRACE_SCOPE_CALLS_] = calls;
	values[ITRACE_SCOPE_TOTAL_NS_] = (double)record->total * ns_per_tick;
	values[ITRACE_SCOPE_SELF_NS_] = (double)record->self * ns_per_tick;
	/* Each call has its whole time in `sum`, but a recursive call adds nothing to `total`. */
	values[ITRACE_SCOPE_MEAN_NS_] = record->calls ? (double)record->sum / calls * ns_per_tick : 0;
	values[ITRACE_SCOPE_MIN_NS_] = record->calls ? (double)record->min * ns_per_tick : 0;
	values[ITRACE_SCOPE_MAX_NS_] = record->calls ? (double)record->max * ns_per_tick : 0;
	values[ITRACE_SCOPE_BACKWARDS_] = (double)record->backwards;
	values[ITRACE_SCOPE_OVERLONG_] = (double)record->overlong;
	return record->calls || record->backwards || record->overlong;
}

/* Writes "FILE:LINE (FUNCTION)" or "NAME (FILE:LINE)". */
ITRACE_SHARED_ void itrace_scope_write_name_(FILE *out, const struct itrace_scope_sum_ *sum)
{
	if (sum->is_unnamed)
		fprintf(out, "%s:%lu (%s)", sum->file, (unsigned long)sum->line, sum->name);
	else
		fprintf(out, "%s (%s:%lu)", sum->name, sum->file, (unsigned long)sum->line);
}

ITRACE_SHARED_ void itrace_scope_write_text_(FILE *out, double ns_per_tick)
{
	static const enum itrace_scope_column_ columns[] = {ITRACE_SCOPE_SELF_NS_, ITRACE_SCOPE_TOTAL_NS_,
							    ITRACE_SCOPE_MEAN_NS_, ITRACE_SCOPE_MIN_NS_,
							    ITRACE_SCOPE_MAX_NS_};
	double values[ITRACE_SCOPE_N_COLUMNS_];
	uint32_t i, j;

	fprintf(out, "scopes of process %ld; each call costs %.1f ns, which is subtracted from the scopes around it\n",
		(long)getpid(), (double)itrace_scopes_.overhead * ns_per_tick);
	fprintf(out, "%12s%11s%11s%11s%11s%11s  %s\n", "calls", "self  ", "total  ", "mean  ", "min  ", "max  ",
		"scope");
	for (i = 0; i < itrace_scopes_.n_sums; i++) {
		const struct itrace_scope_sum_ *sum = &itrace_scopes_.sums[i];

		itrace_scope_values_(sum, ns_per_tick, values);
		if (!sum->record.calls)
			continue;
		fprintf(out, "%12llu", (unsigned long long)sum->record.calls);
		for (j = 0; j < sizeof(columns) / sizeof(columns[0]); j++)
			itrace_scope_write_time_(out, values[columns[j]]);
		fputs("  ", out);
		itrace_scope_write_name_(out, sum);
		fputs("\n", out);
	}
	for (i = 0; i < itrace_scopes_.n_sums; i++) {
		const struct itrace_scope_sum_ *sum = &itrace_scopes_.sums[i];

		if (!sum->record.backwards && !sum->record.overlong)
			continue;
		fputs("left out of ", out);
		itrace_scope_write_name_(out, sum);
		fprintf(out, ": calls while the clock ran backwards: %llu; calls longer than %.0f s: %llu\n",
			(unsigned long long)sum->record.backwards, (double)PA_SCOPE_LONGEST_S,
			(unsigned long long)sum->record.overlong);
	}
}

ITRACE_SHARED_ void itrace_scope_write_data_(FILE *out, double ns_per_tick, enum itrace_scope_format_ format)
{
	static const char names[ITRACE_SCOPE_N_COLUMNS_][16] = {"line",	  "calls",  "total_ns",	 "self_ns", "mean_ns",
								"min_ns", "max_ns", "backwards", "overlong"};
	const int json = format == ITRACE_SCOPE_JSON_;
	double values[ITRACE_SCOPE_N_COLUMNS_];
	uint32_t i, j, n_written = 0;

	if (json) {
		fprintf(out, "{\"pid\": %ld, \"ticks_per_second\": %.0f, \"overhead_ns\": ", (long)getpid(),
			1e9 / ns_per_tick);
		itrace_scope_write_ns_(out, (double)itrace_scopes_.overhead * ns_per_tick);
		fputs(", \"scopes\": [", out);
	} else {
		fputs("scope,file", out);
		for (j = 0; j < ITRACE_SCOPE_N_COLUMNS_; j++)
			fprintf(out, ",%s", names[j]);
		fputs("\n", out);
	}
	for (i = 0; i < itrace_scopes_.n_sums; i++) {
		const struct itrace_scope_sum_ *sum = &itrace_scopes_.sums[i];

		if (!itrace_scope_values_(sum, ns_per_tick, values))
			continue;
		if (json)
			fputs(n_written++ ? ",\n{\"scope\": " : "\n{\"scope\": ", out);
		itrace_scope_write_quoted_(out, sum->name, format);
		fputs(json ? ", \"file\": " : ",", out);
		itrace_scope_write_quoted_(out, sum->file, format);
		for (j = 0; j < ITRACE_SCOPE_N_COLUMNS_; j++) {
			if (json)
				fprintf(out, ", \"%s\": ", names[j]);
			else
				putc(',', out);
			if (j >= ITRACE_SCOPE_TOTAL_NS_ && j <= ITRACE_SCOPE_MAX_NS_)
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

/* Returns 0, after a message, if the file could not be written. */
ITRACE_SHARED_ int itrace_scope_write_file_(const char *path, double ns_per_tick, enum itrace_scope_format_ format)
{
	char of_child[4096];
	FILE *out;
	int error;

	/* A fork's child must not overwrite its parent's file. */
	if (getpid() != itrace_scopes_.pid) {
		snprintf(of_child, sizeof(of_child), "%s.%ld", path, (long)getpid());
		path = of_child;
	}
	out = fopen(path, "w");
	error = out ? 0 : errno;
	if (out) {
		errno = 0;
		itrace_scope_write_(out, ns_per_tick, format);
		if (fflush(out) != 0 || ferror(out))
			error = errno;
		if (fclose(out) != 0 && !error)
			error = errno;
	}
	if (error)
		fprintf(stderr, "scopes: cannot write '%s' (%s); the report follows:\n", path, strerror(error));
	return !error;
}

ITRACE_SHARED_ void itrace_scope_at_exit_(void)
{
	/* The environment must not choose a file for a program that has more rights than the user who set it. */
	const char *value = getauxval(AT_SECURE) ? NULL : getenv("PA_SCOPE_REPORT"), *where = value ? value : "";
	enum itrace_scope_format_ format = ITRACE_SCOPE_TEXT_;
	struct itrace_scope_thread_ *thread;
	uint64_t n_passed = 0;
	uint32_t i;

	itrace_scope_end_open_(itrace_scope_thread_);
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
			itrace_scope_write_(stderr, ns_per_tick, format);
		}
	}
	pthread_mutex_unlock(&itrace_scopes_.lock);
	/* A library reports when it is unloaded. After that, threads that end must not call its code. */
	pthread_key_delete(itrace_scopes_.key);
}

#ifdef __cplusplus
}
#endif

#endif

#endif
