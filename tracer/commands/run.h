/* `itrace [options] program [arguments]`: runs the program, then reports. */
#ifndef ITRACE_COMMANDS_RUN_H
#define ITRACE_COMMANDS_RUN_H

/* Returns the exit status, or does not return: a program killed by a signal makes itrace die of the same one. */
int command_run(int argc, char **argv);

#endif
