#include "cli/options/option_refusal.h"

#include <stdint.h>
#include <string.h>

#include "base/edit_distance.h"

#define MAX_NAME 63

/* The name in --NAME or --NAME=VALUE; false: it is none, or no name of an option is as long. */
static bool take_name(const char *given, char name[MAX_NAME + 1])
{
	size_t n;

	if (strncmp(given, "--", 2) != 0)
		return false;
	n = strcspn(given + 2, "=");
	if (n == 0 || n > MAX_NAME)
		return false;
	memcpy(name, given + 2, n);
	name[n] = '\0';
	return true;
}

static const char *nearest(const char *name, const struct option *longs)
{
	const char *found = NULL;
	size_t least = SIZE_MAX;

	for (; longs->name; longs++) {
		size_t distance = edit_distance(name, longs->name);

		if (distance < least && edit_is_slip(name, longs->name)) {
			found = longs->name;
			least = distance;
		}
	}
	return found;
}

/* What getopt_long refuses although it knows the name, or the beginning of it. */
static bool refuse_known(const char *name, const struct option *longs, struct error *err)
{
	const char *found[2] = {NULL, NULL};

	for (; longs->name; longs++) {
		if (strcmp(name, longs->name) == 0)
			return !error_set(err, ERROR_USAGE, "--%s takes no value", name);
		if (strncmp(name, longs->name, strlen(name)) == 0)
			found[found[0] != NULL] = longs->name;
	}
	if (!found[0])
		return false;
	if (!found[1])
		return !error_set(err, ERROR_USAGE, "--%s takes no value", found[0]);
	return !error_set(err, ERROR_USAGE, "--%s may be --%s or --%s", name, found[0], found[1]);
}

/* optopt is 0 for a long option that getopt_long does not know, else the value of the one that it does. */
static bool is_letter(int found, const char *before, const struct option *longs)
{
	if (found == ':')
		return strncmp(before, "--", 2) != 0;
	while (longs->name && longs->val != optopt)
		longs++;
	return optopt != 0 && !longs->name;
}

bool option_refuse(int found, const char *before, const struct option *longs, const char *help, struct error *err)
{
	const char letter[] = {'-', (char)optopt, '\0'};
	const char *given = is_letter(found, before, longs) ? letter : before;
	char name[MAX_NAME + 1];
	const char *meant;

	if (found == ':')
		return error_set(err, ERROR_USAGE, "%s wants a value; try '%s'", given, help);
	if (take_name(given, name)) {
		if (refuse_known(name, longs, err))
			return false;
		meant = nearest(name, longs);
		if (meant)
			return error_set(err, ERROR_USAGE, "there is no option --%s; did you mean --%s?", name, meant);
	}
	return error_set(err, ERROR_USAGE, "there is no option %s; try '%s'", given, help);
}
