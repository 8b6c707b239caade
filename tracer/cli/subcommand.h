/* The subcommands, by name. */
#ifndef ITRACE_CLI_SUBCOMMAND_H
#define ITRACE_CLI_SUBCOMMAND_H

struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
};

const struct subcommand *subcommand_find(const char *name); /* NULL: none */

/* The one that a name looks like, which was taken for a program's as it is none. NULL: none. */
const struct subcommand *subcommand_meant(const char *name);

#endif
