/* `itrace sample`: samples a program's program counter, and says how far to trust what that gives. */
#ifndef ITRACE_CLI_SAMPLE_H
#define ITRACE_CLI_SAMPLE_H

/* argv[0] is "sample". Returns the exit status, or does not return: a program killed by a signal makes itrace die of
 * the same one. */
int command_sample(int argc, char **argv);

#endif
