/* The place in the source that an instruction comes from. */
#ifndef ITRACE_SOURCE_LOCATION_H
#define ITRACE_SOURCE_LOCATION_H

#include <stddef.h>
#include <stdint.h>

/* A call that was inlined. */
struct source_call {
	const char *function; /* the one that was called, demangled */
	const char *file;     /* of the call; NULL: unknown */
	uint32_t line;	      /* 0: unknown */
	uint32_t column;      /* 0: unknown */
};

struct source_line {
	const char *file;		 /* joined with the compilation directory; NULL: unknown */
	uint32_t line;			 /* 0: unknown */
	uint32_t column;		 /* 0: unknown */
	const struct source_call *calls; /* [n_calls] whose bodies hold the instruction, the outermost first */
	size_t n_calls;
};

#endif
