/* The options of all commands: one table, with what each of them sets. Private to the files that read command lines. */
#ifndef ITRACE_CLI_OPTIONS_OPTION_ROWS_H
#define ITRACE_CLI_OPTIONS_OPTION_ROWS_H

#include "cli/options/options.h"

/* Which commands have an option. */
enum { OF_RUN = 1, OF_REPORT = 2, OF_ANNOTATE = 4, OF_REPEAT = 8, OF_ALL = OF_RUN | OF_REPORT };

struct option_row {
	const char *name;
	char letter;	  /* or 0 */
	int has_argument; /* as in getopt.h */
	unsigned commands;
	/* argument is NULL where an optional one is missing. NULL: `flag` is the offset of the bool in struct options that becomes true. */
	bool (*set)(struct options *options, const char *argument, struct error *err);
	size_t flag;
};

enum { N_OPTION_ROWS = 35 };
extern const struct option_row option_rows[N_OPTION_ROWS];

/* getopt_long says this plus its index for a row without a letter. */
enum { OPTION_ROW_FIRST = 512 };
const struct option_row *option_row_find(int found); /* NULL: none */

bool option_row_set(const struct option_row *row, struct options *options, const char *argument, struct error *err);

#endif
