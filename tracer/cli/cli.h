/* The command line of itrace: finds the command, reads its options and runs it. */
#ifndef ITRACE_CLI_CLI_H
#define ITRACE_CLI_CLI_H

/* Called by main() with its arguments. Returns the exit status, or dies of a signal (cli/commands.h). */
int cli_run(int argc, char **argv);

#endif
