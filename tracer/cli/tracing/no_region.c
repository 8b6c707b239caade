#include "cli/tracing/no_region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

bool no_region_reached(const struct options *options, const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_regions; i++) {
		bool wanted = !options->regions.n_items;

		for (size_t j = 0; j < options->regions.n_items; j++)
			wanted |= strcmp(options->regions.items[j], profile->regions[i].name) == 0;
		if (wanted && profile->regions[i].visits)
			return false;
	}
	return true;
}

bool profile_has_region(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->n_regions; i++)
		if (strcmp(profile->regions[i].name, name) == 0)
			return true;
	return false;
}

/* Returns true if the program marks any region. */
static bool write_marked_regions(const struct profile *profile)
{
	bool any = false;

	for (size_t i = 0; i < profile->n_regions; i++) {
		const struct profile_region *region = &profile->regions[i];
		char *name;

		if (!region->n_markers)
			continue;
		fputs(any ? "," : "itrace: the program marks these regions:", stderr);
		any = true;
		name = escape_text(region->name, ESCAPE_FOR_TERMINAL);
		fprintf(stderr, " %s (%u place%s%s)", name, region->n_markers, region->n_markers == 1 ? "" : "s",
			region->visits ? ", reached" : "");
		free(name);
	}
	if (any)
		fputc('\n', stderr);
	return any;
}

void no_region_explain(const struct options *options, const struct profile *profile)
{
	fputs("itrace: no region was reached, so there is nothing to report\n", stderr);
	for (size_t i = 0; i < options->regions.n_items; i++)
		if (!profile_has_region(profile, options->regions.items[i]))
			fprintf(stderr, "itrace: no region is named '%s'\n", options->regions.items[i]);
	for (size_t i = 0; i < profile->n_notes; i++) {
		char *note = escape_text(profile->notes[i], ESCAPE_FOR_TERMINAL);

		fprintf(stderr, "itrace: %s\n", note);
		free(note);
	}
	if (!write_marked_regions(profile) && !options->functions.n_items && !options->starts.n_items)
		fputs("itrace: the program has no PA_BEGIN markers; choose a region with --function NAME, --start "
		      "and --stop, --all, or --scopes for those of PA_SCOPE\n",
		      stderr);
}
