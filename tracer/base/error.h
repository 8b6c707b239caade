/* Errors of the environment and of the user.
 *
 * A function that can fail is `bool f(..., struct error *err)`. On false, *err is set and all other outputs are
 * untouched. The caller owns *err; a zeroed struct error means no error. Bugs are assert()s, and the traced program's
 * behaviour is data; neither becomes a struct error.
 */
#ifndef ITRACE_BASE_ERROR_H
#define ITRACE_BASE_ERROR_H

#include <stdbool.h>

enum error_kind {
	ERROR_NONE,
	ERROR_USAGE,	      /* the command line or what it names is wrong; exit status 125 */
	ERROR_ENVIRONMENT,    /* the system refused something; exit status 125 */
	ERROR_FORMAT,	      /* a file's content is malformed; the text begins with "file:line: "; exit status 125 */
	ERROR_NOT_EXECUTABLE, /* the program to trace cannot be executed; exit status 126 */
	ERROR_NOT_FOUND,      /* the program to trace does not exist; exit status 127 */
};

struct error {
	enum error_kind kind;
	int errno_value; /* 0 where no system call was involved */
	char text[1024]; /* a sentence: what failed, on what, why, what to do next; longer text is cut */
};

/* Both return false, so that a function can `return error_set(err, ...)`. error_set_errno appends ":
 * <strerror(errno)>" and keeps errno in errno_value. */
bool error_set(struct error *err, enum error_kind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool error_set_errno(struct error *err, enum error_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The exit status of itrace for this error: 125, 126 or 127. err->kind is not ERROR_NONE. */
int error_exit_status(const struct error *err);

#endif
