/* `itrace models`: the installed cost models and what they say of an instruction. */
#ifndef ITRACE_CLI_MODELS_H
#define ITRACE_CLI_MODELS_H

/* argv[0] is "models". Returns the exit status. */
int command_models(int argc, char **argv);

#endif
