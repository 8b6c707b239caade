/* The distance between two names, to suggest the one that was meant. */
#ifndef ITRACE_BASE_EDIT_DISTANCE_H
#define ITRACE_BASE_EDIT_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>

/* The number of letters to insert, delete, replace or swap with their neighbour (Damerau, Levenshtein; each letter at
 * most once), ignoring case. SIZE_MAX for names of more than 63 letters. */
size_t edit_distance(const char *a, const char *b);

/* True if `given` is probably a typo of `meant`: at most two letters are wrong, and at least half of them are right. */
bool edit_is_slip(const char *given, const char *meant);

/* Of the names offered, the nearest one that `given` may be a slip for, the first of equally near ones; NULL: none.
 * Zeroed at first. */
struct edit_nearest {
	const char *name;
	size_t distance;
};
void edit_nearest_offer(struct edit_nearest *nearest, const char *given, const char *name);

#endif
