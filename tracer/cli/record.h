/* `itrace record [options] program [arguments]`: runs the program, then saves what it executed. */
#ifndef ITRACE_CLI_RECORD_H
#define ITRACE_CLI_RECORD_H

/* argv[0] is "record". Returns the exit status, or dies as the program did. */
int command_record(int argc, char **argv);

#endif
