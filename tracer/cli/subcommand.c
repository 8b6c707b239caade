#include "cli/subcommand.h"

#include <string.h>

#include "base/array.h"
#include "base/edit_distance.h"
#include "cli/annotate.h"
#include "cli/block.h"
#include "cli/models.h"
#include "cli/record.h"
#include "cli/report.h"
#include "cli/sample.h"

static const struct subcommand subcommands[] = {
	{"annotate", command_annotate}, {"block", command_block},   {"compare", command_compare},
	{"models", command_models},	{"record", command_record}, {"report", command_report},
	{"sample", command_sample},
};

const struct subcommand *subcommand_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(subcommands); i++)
		if (strcmp(name, subcommands[i].name) == 0)
			return &subcommands[i];
	return NULL;
}

const struct subcommand *subcommand_meant(const char *name)
{
	const struct subcommand *meant = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < ARRAY_LENGTH(subcommands); i++) {
		size_t distance = edit_distance(name, subcommands[i].name);

		if (distance < least && edit_is_slip(name, subcommands[i].name)) {
			meant = &subcommands[i];
			least = distance;
		}
	}
	return meant;
}
