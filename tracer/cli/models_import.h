/* `itrace models import FILE --arch ARCH [-o NAME.cost]`: the script tools/import-model does it. */
#ifndef ITRACE_CLI_MODELS_IMPORT_H
#define ITRACE_CLI_MODELS_IMPORT_H

/* Replaces this process by the script. argv[0] is "import". Returns only on failure, with the exit status. */
int command_models_import(int argc, char **argv);

#endif
