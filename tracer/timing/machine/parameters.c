#include "timing/machine/parameters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MIN_TOLERANCE_PERMILLE 10

static int64_t inherited_value(const struct model *inherited, const char *key)
{
	const char *text = model_parameter(inherited, key);

	return text ? atoi(text) : 0;
}

static void write_line(const struct machine_parameter *parameter, const struct model *inherited,
		       struct measured_parameter *line)
{
	int64_t value = parameter->value, old = inherited_value(inherited, parameter->key);
	int64_t tolerance = parameter->spread_permille > MIN_TOLERANCE_PERMILLE ? parameter->spread_permille
										: MIN_TOLERANCE_PERMILLE;

	if (llabs(old * 1000 - parameter->milli) <= old * tolerance)
		value = old;
	snprintf(line->key, sizeof(line->key), "%s", parameter->key);
	snprintf(line->value, sizeof(line->value), "%" PRId64, value);
	snprintf(line->comment, sizeof(line->comment), "measured: %.2f, spread %.1f %%; %s",
		 (double)parameter->milli / 1000, (double)parameter->spread_permille / 10, parameter->how);
}

size_t machine_list_parameters(const struct machine *machine, const struct model *inherited,
			       struct measured_parameter lines[MAX_MEASURED_PARAMETERS])
{
	int64_t entries = inherited_value(inherited, "dtlb_entries");
	size_t n = 0;

	for (size_t i = 0; i < machine->n_parameters; i++) {
		const struct machine_parameter *parameter = &machine->parameters[i];

		if (parameter->missing)
			continue;
		write_line(parameter, inherited, &lines[n++]);
		if (strcmp(parameter->key, "dtlb_entries") || entries != inherited_value(inherited, "dtlb_ways"))
			continue;
		/* A fully associative TLB has as many ways as entries. */
		lines[n] = lines[n - 1];
		strcpy(lines[n].key, "dtlb_ways");
		strcpy(lines[n++].comment, "fully associative, as inherited");
	}
	return n;
}

char *machine_describe_missing(const struct machine *machine)
{
	char *text = NULL;

	for (size_t i = 0; i < machine->n_parameters; i++) {
		const struct machine_parameter *parameter = &machine->parameters[i];
		char *before = text;

		if (!parameter->missing)
			continue;
		text = xasprintf("%s%s %s (%s)", before ? before : "parameters not measured:", before ? "," : "",
				 parameter->key, parameter->missing);
		free(before);
	}
	return text;
}
