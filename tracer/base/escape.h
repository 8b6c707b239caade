/* Escapes untrusted names. A symbol, argument or file name of a traced program may contain escape sequences for the
 * terminal, or bytes that are not text. */
#ifndef ITRACE_BASE_ESCAPE_H
#define ITRACE_BASE_ESCAPE_H

#include <stddef.h>

enum escape_for {
	ESCAPE_FOR_TERMINAL, /* valid UTF-8 without control, line-separating and text-direction characters */
	ESCAPE_FOR_JSON,     /* valid UTF-8; the JSON writer escapes control characters itself */
};

/* A copy of `raw` in which each byte that `use` does not allow reads \xNN. The caller frees it. */
char *escape_text(const char *raw, enum escape_for use);

/* The width of valid UTF-8 in columns, one for each character. */
size_t escape_count_columns(const char *text);

#endif
