#include "base/edit_distance.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define MAX_LETTERS 63

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

size_t edit_distance(const char *a, const char *b)
{
	/* rows[i % 3][j]: the distance between the first i letters of a and the first j letters of b. */
	size_t rows[3][MAX_LETTERS + 1];
	size_t n_a = strlen(a), n_b = strlen(b);

	if (n_a > MAX_LETTERS || n_b > MAX_LETTERS)
		return SIZE_MAX;
	for (size_t j = 0; j <= n_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n_a; i++) {
		const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
		size_t *row = rows[i % 3];

		row[0] = i;
		for (size_t j = 1; j <= n_b; j++) {
			row[j] = least(above[j - 1] + !is_same(a[i - 1], b[j - 1]), least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
				row[j] = least(row[j], two_above[j - 2] + 1);
		}
	}
	return rows[n_a % 3][n_b];
}

bool edit_is_typo(const char *given, const char *meant)
{
	size_t n_given = strlen(given), n_meant = strlen(meant), distance;

	if (n_given > n_meant + 2 || n_meant > n_given + 2)
		return false;
	distance = edit_distance(given, meant);
	return distance <= 2 && 2 * distance <= n_given;
}

void edit_nearest_offer(struct edit_nearest *nearest, const char *given, const char *name)
{
	size_t distance = edit_distance(given, name);

	if (edit_is_typo(given, name) && (!nearest->name || distance < nearest->distance))
		*nearest = (struct edit_nearest){name, distance};
}
