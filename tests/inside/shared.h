/* Included by both files of a program. The scope in its inline function is one for both; scopes of the same name in two
 * files are two. */
#ifndef ITRACE_TESTS_INSIDE_SHARED_H
#define ITRACE_TESTS_INSIDE_SHARED_H

#include <itrace/scopes.h>

#ifdef __cplusplus
extern "C" {
#endif

void second_file(void);

static inline void in_header(void)
{
	PA_SCOPE();
}

#ifdef __cplusplus
}
#endif

#endif
