/* `itrace annotate`: the source of a run, line by line. */
#ifndef ITRACE_CLI_ANNOTATE_H
#define ITRACE_CLI_ANNOTATE_H

int command_annotate(int argc, char **argv);

#endif
