/* Names from a traced program are not trusted: a symbol, an argument or a file name may hold escape sequences that
 * would reprogram the reader's terminal, or bytes that are no text at all.
 */
#ifndef ITRACE_BASE_ESCAPE_H
#define ITRACE_BASE_ESCAPE_H

#include <stddef.h>

enum escape_for {
	ESCAPE_FOR_TERMINAL, /* valid UTF-8 without control, line-separating and text-direction characters */
	ESCAPE_FOR_JSON,     /* valid UTF-8; the JSON writer takes care of the rest */
};

/* A copy of `raw` in which every byte that does not belong there reads \xNN. The caller frees it. */
char *escape_text(const char *raw, enum escape_for use);

/* How many columns valid UTF-8 takes, one for each character. */
size_t escape_columns(const char *text);

#endif
