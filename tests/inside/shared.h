/* Included by both files of a program. They share the scope in its inline function; scopes of one name in two files
 * are separate. */
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
