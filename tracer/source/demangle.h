/* Names of C++ and Rust. */
#ifndef ITRACE_SOURCE_DEMANGLE_H
#define ITRACE_SOURCE_DEMANGLE_H

/* The name for people, to be freed; NULL where `symbol` is not a mangled name. */
char *source_demangle(const char *symbol);

#endif
