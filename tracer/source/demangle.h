/* Demangles C++ and Rust names. */
#ifndef ITRACE_SOURCE_DEMANGLE_H
#define ITRACE_SOURCE_DEMANGLE_H

/* Returns the demangled name, which the caller frees, or NULL if `symbol` is not a mangled name. */
char *source_demangle(const char *symbol);

#endif
