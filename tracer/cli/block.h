/* `itrace block`: what basic blocks cost per iteration, by the pipeline estimator. */
#ifndef ITRACE_CLI_BLOCK_H
#define ITRACE_CLI_BLOCK_H

/* argv[0] is "block"; the exit status. */
int command_block(int argc, char **argv);

#endif
