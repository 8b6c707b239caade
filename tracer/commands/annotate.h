/* `itrace annotate`: the source of a run, line by line. */
#ifndef ITRACE_COMMANDS_ANNOTATE_H
#define ITRACE_COMMANDS_ANNOTATE_H

int command_annotate(int argc, char **argv);

#endif
