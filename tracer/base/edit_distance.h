/* The distance between two names, to suggest the one that was meant. */
#ifndef ITRACE_BASE_EDIT_DISTANCE_H
#define ITRACE_BASE_EDIT_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>

/* The Damerau-Levenshtein distance, ignoring case: the least number of letters to insert, delete, replace or swap with
 * a neighbour, each letter at most once. SIZE_MAX for names of more than 63 letters. */
size_t edit_distance(const char *a, const char *b);

/* True if `given` is probably a typo of `meant`: at most two letters, and at most half of the letters of `given`, are
 * wrong. */
bool edit_is_typo(const char *given, const char *meant);

/* The offered name that is nearest to `given`. All zero before the first offer. */
struct edit_nearest {
	const char *name; /* borrowed; NULL: `given` is a typo of no offered name */
	size_t distance;
};

/* Offers a name. Of names with equal distances, the one that was offered first stays. */
void edit_nearest_offer(struct edit_nearest *nearest, const char *given, const char *name);

#endif
