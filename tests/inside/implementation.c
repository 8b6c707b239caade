/* The only file with the headers' code, for programs compiled with -DITRACE_EXTERN. */
#define ITRACE_IMPLEMENTATION
#include <itrace/counters.h>
#include <itrace/scopes.h>
#include <itrace/timestamp.h>
