/* The line on a terminal that says that tracing goes on: rewritten in place, gone at the end.
 *
 * It reads no clock and sets no timer: the caller says how much time has passed.
 */
#ifndef ITRACE_BASE_PROGRESS_H
#define ITRACE_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *out; /* borrowed; NULL when it is no terminal */
	uint64_t shown_ns;
	bool is_shown;
};

/* Shows nothing, ever, when `out` (stderr) is no terminal. */
void progress_init(struct progress *progress, FILE *out);

/* Shows how far tracing is, from one second on and at most ten times a second. Cheap enough to be called every
 * thousand instructions. elapsed_ns counts from the start of tracing. */
void progress_update(struct progress *progress, const char *region, uint64_t instructions, uint64_t elapsed_ns);

/* Erases the line. Progress may go on afterwards: call this before anything else is written to the terminal. */
void progress_end(struct progress *progress);

/* The line itself, without a newline, at most n_bytes-1 bytes of text. */
void progress_format(const char *region, uint64_t instructions, uint64_t elapsed_ns, char *text, size_t n_bytes);

#endif
