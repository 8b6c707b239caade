/* An example of README's: prints the lines of a file in order, and is as wasteful with memory as such programs are.
 *
 *     sort FILE
 *
 * ANSWER --function main
 *   args {text}
 *   region main: visits 1, cut 0, instructions >= 10000
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

int main(int argc, char **argv)
{
	FILE *file = fopen(argc > 1 ? argv[1] : "/dev/null", "r");
	char **lines = NULL, line[256];
	size_t n_lines = 0;

	while (file && fgets(line, sizeof(line), file)) {
		lines = realloc(lines, (n_lines + 1) * sizeof(*lines));
		lines[n_lines++] = strdup(line);
	}
	qsort(lines, n_lines, sizeof(*lines), compare);
	for (size_t i = 0; i < n_lines; i++)
		fputs(lines[i], stdout);
	return file ? 0 : 1;
}
