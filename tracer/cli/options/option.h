/* The table of the options of all commands. Parsing, --help, ITRACE_* variables and the rules between options follow
 * from its rows. Private to options/. */
#ifndef ITRACE_CLI_OPTIONS_OPTION_H
#define ITRACE_CLI_OPTIONS_OPTION_H

#include <stdio.h>

#include "base/error.h"
#include "cli/options/options.h"

enum option_kind {
	OPTION_FLAG,	/* has no argument */
	OPTION_TEXT,	/* const char * */
	OPTION_ADDRESS, /* struct option_list of 0xADDR or module+0xOFFSET; the option may be repeated */
	OPTION_LIST,	/* struct option_list; the option may be repeated */
	OPTION_CHOICE,	/* an enum: the index of the argument in `choices` */
	OPTION_NUMBER,	/* uint64_t */
	OPTION_TIME,	/* uint64_t of ns: seconds, or a number with a unit */
};

/* A condition is a list of words that must all hold. In a word, '|' separates terms, of which one must hold:
 *
 *   name        the option is set, by the command line or the environment
 *   name=value  the option has this value, set or by default. If the value is a text: the text
 *               contains it
 *   !term       the term does not hold
 */
struct option_rule {
	const char *condition;
	const char *sentence; /* completes "--NAME " to the message if the condition does not hold */
};

enum { OPTION_MAX_RULES = 3, OPTION_MAX_CONDITION = 128 /* bytes, with the NUL */ };

struct option_row {
	const char *name; /* long; NULL: the row is a heading of --help */
	char letter;	  /* short name; 0: none */
	enum option_kind kind;
	bool is_optional;	    /* the argument may be left out: --trace[=FILE] */
	unsigned commands;	    /* commands that take the option: COMMAND_BIT bits, and COMMAND_BIT_SAVED */
	size_t flag;		    /* offset in struct options of a bool that is true if the option is set; 0: none */
	size_t value;		    /* offset in struct options of the value, whose type follows from `kind`; 0: none */
	const char *placeholder;    /* of the argument in --help, such as "FILE"; NULL: the option takes none */
	const char *default_value;  /* as an argument; NULL: none */
	const char *help;	    /* --help adds the choices and the default. NULL and no choices: not in --help */
	const char *const *choices; /* [n_choices] */
	size_t n_choices;
	uint64_t least, most; /* limits of a number or a time; most 0: no upper limit */
	/* If a rule does not hold, the option has no effect. It is then refused on the command line and ignored in
	 * the environment. */
	struct option_rule useful_if[OPTION_MAX_RULES];
	/* If a rule does not hold, the option is refused on the command line and in the environment. */
	struct option_rule allowed_if[OPTION_MAX_RULES];
};

#define COMMAND_BIT(command) (1u << (command))
#define COMMAND_BIT_SAVED COMMAND_BIT(N_COMMANDS) /* `itrace annotate` takes the option for a saved run, too */

enum { MAX_OPTION_ROWS = 96, MAX_OPTION_NAME = 63 };
extern const struct option_row option_rows[];
extern const size_t n_option_rows;

/* Returns true if the command takes the option; false for a heading. */
bool option_row_is_of(const struct option_row *row, enum command command);

/* Returns the row of an option of the command, or NULL. */
const struct option_row *option_row_find(enum command command, const char *name);

/* Writes the name of the variable that sets the option, such as ITRACE_NO_ASLR. */
void option_row_variable(const struct option_row *row, char variable[MAX_OPTION_NAME + 1]);

/* A command, as --help describes it. */
struct command_row {
	const char *name;    /* "record"; "": itrace without a subcommand */
	const char *words;   /* "itrace record" */
	bool runs_program;   /* the arguments may be a program and its own options */
	bool has_variables;  /* ITRACE_* set its options */
	const char *usage;   /* lines after "Usage: " */
	const char *purpose; /* a paragraph */
	const char *status;  /* the exit status, and where to read on */
};
extern const struct command_row command_rows[N_COMMANDS];

/* option_values.c. Sets the row's members of *options. `argument` is NULL if an optional argument is missing.
 * `source` is "--top" or "ITRACE_TOP". Error: the argument is not what the option expects. */
bool option_set(const struct option_row *row, struct options *options, const char *argument, const char *source,
		struct error *err);

/* Returns true if the term "name=value" of a rule holds. */
bool option_has_value(const struct option_row *row, const struct options *options, const char *value);

/* Returns the choices, as in "text, json or csv". The caller frees the text. */
char *option_list_choices(const struct option_row *row);

/* The options that were set, by row. */
struct option_marks {
	bool given[MAX_OPTION_ROWS]; /* on the command line */
	bool set[MAX_OPTION_ROWS];   /* on the command line or in the environment */
};

/* option_conflicts.c. Checks the rules of all rows that are set. Arguments and defaults must be known. Error: a rule
 * is broken. */
bool option_check_conflicts(const struct options *options, const struct option_marks *marks, struct error *err);

/* getopt_long returns this plus the index of the row for a long option. */
enum { OPTION_FIRST_LONG = 512 };

/* option_refusal.c. Sets *err to the reason why getopt_long refused an option, and returns false. The caller calls it
 * directly after getopt_long, because it reads optopt. `found` is the '?' or ':' that getopt_long returned.
 * `argument` is argv[optind - 1], which contains the option unless letters follow it, as in -xyz. */
bool option_refuse(enum command command, int found, const char *argument, struct error *err);

/* Warns on stderr of each ITRACE_* variable that sets no option of any command. */
void option_warn_of_variables(void);

/* option_help.c. Writes the text of --help. */
void option_write_help(FILE *out, enum command command);

#endif
