/* The one file with the code behind the headers, for programs that are compiled with -DITRACE_EXTERN. */
#define ITRACE_IMPLEMENTATION
#include <itrace/counters.h>
#include <itrace/scopes.h>
#include <itrace/timestamp.h>
