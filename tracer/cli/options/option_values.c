#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"
#include "cli/options/option.h"
#include "regions/triggers.h"

#define TIME_MAX_NS 1e18 /* 31 years; fits an int64_t */

char *option_list_choices(const struct option_row *row)
{
	char *list = xstrdup(row->choices[0]);

	for (size_t i = 1; i < row->n_choices; i++) {
		char *longer = xasprintf("%s%s%s", list, i + 1 < row->n_choices ? ", " : " or ", row->choices[i]);

		free(list);
		list = longer;
	}
	return list;
}

static bool parse_choice(const struct option_row *row, const char *argument, unsigned *index, const char *source,
			 struct error *err)
{
	char *list;

	for (size_t i = 0; i < row->n_choices; i++)
		if (strcmp(argument, row->choices[i]) == 0) {
			*index = (unsigned)i;
			return true;
		}
	list = option_list_choices(row);
	error_set(err, ERROR_USAGE, "%s: expected %s, got '%.80s'", source, list, argument);
	free(list);
	return false;
}

static bool parse_number(const struct option_row *row, const char *argument, uint64_t *number, const char *source,
			 struct error *err)
{
	uint64_t most = row->most ? row->most : SIZE_MAX / 2;
	char *end, *range;
	unsigned long long value = strtoull(argument, &end, 10);

	if (isdigit((unsigned char)*argument) && !*end && value >= row->least && value <= most) {
		*number = value;
		return true;
	}
	if (row->most)
		range = xasprintf(" from %s to %s", units_count(row->least).text, units_count(row->most).text);
	else
		range = xstrdup(row->least ? " of at least 1" : "");
	error_set(err, ERROR_USAGE, "%s: expected a whole number%s, got '%.80s'", source, range, argument);
	free(range);
	return false;
}

static bool parse_time(const struct option_row *row, const char *argument, uint64_t *ns, const char *source,
		       struct error *err)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"", 1e9}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *unit;
	double value = strtod(argument, &unit);

	for (size_t i = 0; i < ARRAY_LENGTH(units); i++) {
		double result = value * units[i].ns;

		if (!isdigit((unsigned char)*argument) || strcmp(unit, units[i].name) != 0 || !(result > 0) ||
		    result > TIME_MAX_NS)
			continue;
		if (result < (double)row->least)
			return error_set(err, ERROR_USAGE, "%s: expected at least %s us, got '%.80s'", source,
					 units_count(row->least / 1000).text, argument);
		*ns = (uint64_t)(result + 0.5);
		return true;
	}
	return error_set(err, ERROR_USAGE, "%s: expected a time such as 250us, 1.5ms or 2 (seconds), got '%.80s'",
			 source, argument);
}

static bool parse_address(const char *argument, struct option_list *list, const char *source, struct error *err)
{
	struct error why = {0};

	if (!trigger_address_check(argument, &why))
		return error_set(err, why.kind, "%s: %.900s", source, why.text);
	*ARRAY_ADD(list, items) = argument;
	return true;
}

bool option_set(const struct option_row *row, struct options *options, const char *argument, const char *source,
		struct error *err)
{
	void *value = (char *)options + row->value;
	struct option_list *list = value;
	unsigned ignored;
	bool ok = true;

	switch (row->kind) {
	case OPTION_FLAG:
		break;
	case OPTION_TEXT:
		*(const char **)value = argument;
		break;
	case OPTION_ADDRESS:
		ok = parse_address(argument, list, source, err);
		break;
	case OPTION_LIST:
		*ARRAY_ADD(list, items) = argument;
		break;
	case OPTION_CHOICE:
		ok = parse_choice(row, argument, row->value ? value : &ignored, source, err);
		break;
	case OPTION_NUMBER:
		*(uint64_t *)value = 0;
		ok = !argument || parse_number(row, argument, value, source, err);
		break;
	case OPTION_TIME:
		ok = parse_time(row, argument, value, source, err);
		break;
	}
	if (ok && row->flag)
		*(bool *)((char *)options + row->flag) = true;
	return ok;
}

bool option_has_value(const struct option_row *row, const struct options *options, const char *value)
{
	const void *at = (const char *)options + row->value;

	switch (row->kind) {
	case OPTION_CHOICE:
		return strcmp(row->choices[*(const unsigned *)at], value) == 0;
	case OPTION_NUMBER:
		return *(const uint64_t *)at == strtoull(value, NULL, 10);
	case OPTION_TEXT:
		return *(const char *const *)at && strstr(*(const char *const *)at, value);
	default:
		return false;
	}
}
