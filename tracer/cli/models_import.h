/* `itrace models import FILE --arch ARCH [-o FILE.cost]`. */
#ifndef ITRACE_CLI_MODELS_IMPORT_H
#define ITRACE_CLI_MODELS_IMPORT_H

/* argv[0] is "import". The exit status. */
int command_models_import(int argc, char **argv);

#endif
