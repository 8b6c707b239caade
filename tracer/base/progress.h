/* The progress line on a terminal, rewritten in place and erased at the end.
 *
 * It reads no clock and sets no timer: the caller passes the elapsed time.
 */
#ifndef ITRACE_BASE_PROGRESS_H
#define ITRACE_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	FILE *out;	   /* borrowed; NULL if it is not a terminal */
	uint64_t shown_ns; /* the elapsed time when the line was last shown */
	bool is_shown;
};

/* Shows nothing if `out` (stderr) is not a terminal. */
void progress_init(struct progress *progress, FILE *out);

/* Shows the progress from one second on, at most ten times a second. It is cheap enough for a call every thousand
 * instructions. elapsed_ns counts from the start of tracing. */
void progress_update(struct progress *progress, const char *region, uint64_t instructions, uint64_t elapsed_ns);

/* Shows that `done` of `total` things ("forms") are done, and the time left if the rest goes as fast. Updates the line
 * as often as progress_update does. */
void progress_update_part(struct progress *progress, const char *things, uint64_t done, uint64_t total,
			  uint64_t elapsed_ns);

/* Erases the line. Call this before anything else is written to the terminal; progress may continue afterwards. */
void progress_end(struct progress *progress);

/* Formats the line without a newline, in at most n_bytes - 1 bytes. */
void progress_format(const char *region, uint64_t instructions, uint64_t elapsed_ns, char *text, size_t n_bytes);

#endif
