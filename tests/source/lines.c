/* Prints for each address on standard input, hexadecimal and as linked, where in the source of an ELF file it is:
 * "FILE:LINE" of
 * the instruction and then, from the innermost one outwards, of each call that was inlined. */
#include <inttypes.h>
#include <stdio.h>

#include "source/source.h"

static void print_place(const char *file, uint32_t line)
{
	printf(" %s:%" PRIu32, file ? file : "??", line);
}

int main(int argc, char **argv)
{
	struct source *source = source_create();
	uint64_t va;

	while (argc == 2 && scanf("%" SCNx64, &va) == 1) {
		struct source_line line = {0};

		source_find_line(source, argv[1], va, &line);
		printf("%" PRIx64, va);
		print_place(line.file, line.line);
		for (size_t i = line.n_calls; i-- > 0;)
			print_place(line.calls[i].file, line.calls[i].line);
		putchar('\n');
	}
	source_destroy(source);
	return 0;
}
