/* Source lines, inlined calls and demangled names. */
#ifndef ITRACE_SOURCE_LOCATION_H
#define ITRACE_SOURCE_LOCATION_H

#include <stddef.h>
#include <stdint.h>

/* An inlined call. */
struct source_call {
	const char *function; /* the called function, demangled */
	const char *file;     /* the file that contains the call; NULL: unknown */
	uint32_t line;	      /* 0: unknown */
	uint32_t column;      /* 0: unknown */
};

struct source_line {
	const char *file;		 /* joined with the compilation directory; NULL: unknown */
	uint32_t line;			 /* 0: unknown */
	uint32_t column;		 /* 0: unknown */
	const struct source_call *calls; /* [n_calls] inlined calls that contain the instruction, the outermost first */
	size_t n_calls;
};

/* Demangles a C++ or Rust name. Returns the name, which the caller frees, or NULL if `symbol` is not mangled. */
char *source_demangle(const char *symbol);

#endif
