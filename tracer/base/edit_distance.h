/* How far apart two names are, to say which one was meant. */
#ifndef ITRACE_BASE_EDIT_DISTANCE_H
#define ITRACE_BASE_EDIT_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>

/* How many letters have to be added, taken away or replaced, or swapped with the next one (Damerau, Levenshtein; no
 * letter twice), in whatever case. Names of more than 63 letters are far (SIZE_MAX) from all. */
size_t edit_distance(const char *a, const char *b);

/* Whether `given` may well be a slip for `meant`: up to two letters are wrong, and at least half of them are right. */
bool edit_is_slip(const char *given, const char *meant);

/* Of the names offered, the nearest one that `given` may be a slip for, the first of equally near ones; NULL: none.
 * Zeroed at first. */
struct edit_nearest {
	const char *name;
	size_t distance;
};
void edit_nearest_offer(struct edit_nearest *nearest, const char *given, const char *name);

#endif
