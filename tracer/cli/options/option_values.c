#include "cli/options/option_values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool option_parse_format(const char *text, enum report_format *format, struct error *err)
{
	for (size_t i = 0; i < N_REPORT_FORMATS; i++) {
		if (strcmp(text, report_format_name((enum report_format)i)) == 0) {
			*format = (enum report_format)i;
			return true;
		}
	}
	return error_set(err, ERROR_USAGE,
			 "--format %s: there are text, json, csv, html, callgrind, folded and speedscope", text);
}

bool option_parse_by(const char *text, enum profile_group_by *by, struct error *err)
{
	static const char *const names[] = {
		[GROUP_BY_FORM] = "form",	  [GROUP_BY_MNEMONIC] = "mnemonic",
		[GROUP_BY_CATEGORY] = "category", [GROUP_BY_ISA_EXTENSION] = "isa-extension",
		[GROUP_BY_FUNCTION] = "function", [GROUP_BY_FILE] = "file",
		[GROUP_BY_LINE] = "line",	  [GROUP_BY_COLUMN] = "column",
		[GROUP_BY_INLINED] = "inlined",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*by = (enum profile_group_by)i;
			return true;
		}
	}
	return error_set(err, ERROR_USAGE,
			 "--by %s: there are form, mnemonic, category, isa-extension, function, file, line, column and "
			 "inlined",
			 text);
}

bool option_parse_engine(const char *text, enum engine_kind *engine, struct error *err)
{
	static const char *const names[] = {
		[ENGINE_AUTO] = "auto", [ENGINE_STEP] = "step", [ENGINE_TRANSLATE] = "translate"};

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*engine = (enum engine_kind)i;
			return true;
		}
	}
	return error_set(err, ERROR_USAGE, "--engine %s: there are step, translate and auto", text);
}

bool option_parse_count(const char *option, const char *text, size_t *count, struct error *err)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	if (!isdigit((unsigned char)text[0]) || *end || value > SIZE_MAX / 2)
		return error_set(err, ERROR_USAGE, "--%s %s: a whole number is wanted", option, text);
	*count = (size_t)value;
	return true;
}

bool option_parse_limit(const char *option, const char *text, uint64_t *limit, struct error *err)
{
	size_t count;

	if (!option_parse_count(option, text, &count, err))
		return false;
	if (!count)
		return error_set(err, ERROR_USAGE, "--%s 0: the least is 1", option);
	*limit = count;
	return true;
}

bool option_parse_pid(const char *text, int32_t *pid, struct error *err)
{
	size_t value = 0;

	if (!option_parse_count("pid", text, &value, err) || value == 0 || value > INT32_MAX)
		return error_set(err, ERROR_USAGE, "-p %s: the ID of a process is wanted", text);
	*pid = (int32_t)value;
	return true;
}

bool option_parse_seconds(const char *option, const char *text, uint64_t *ns, struct error *err)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!isdigit((unsigned char)text[0]) || *end || !(seconds > 0) || seconds > 1e9)
		return error_set(err, ERROR_USAGE, "--%s %s: seconds are wanted, such as 10 or 0.5", option, text);
	*ns = (uint64_t)(seconds * 1e9 + 0.5);
	return true;
}
