/* Compares the names of functions with those that users type. */
#ifndef ITRACE_SOURCE_FUNCTION_NAME_H
#define ITRACE_SOURCE_FUNCTION_NAME_H

#include <stdbool.h>

/* A text that a user typed for a function. It may have one of these forms:
 *
 *   int n::S<long>::g<int>(int)   a demangled name; spaces do not count
 *   n::S::g                       without return type, parameters, template arguments or "(anonymous namespace)"
 *   _ZN1n1S1gIiEEiT_              a mangled name
 *   g                             also the compiler's clones of g (.isra, .constprop, .part, ...), but not g.cold
 *   g.cold, g.part.0              only these clones
 *   n::S::*                       * and ? are wildcards
 *   malloc@plt                    an entry of a linkage table
 *   libc.so.6:malloc              in one module: file name, with wildcards, or its part before ".so"; or path
 */
struct function_pattern {
	char *module; /* NULL: any */
	char *name;
	char *wildcards; /* the name for fnmatch(3); NULL: no wildcards */
};

void function_pattern_init(struct function_pattern *pattern, const char *text);
void function_pattern_deinit(struct function_pattern *pattern);

/* Returns true if the pattern is for functions of the module with this path. */
bool function_pattern_fits_module(const struct function_pattern *pattern, const char *path);

/* Returns true if the pattern matches the function with this demangled name. function_pattern_is_name does not treat
 * * and ? as wildcards, as in "operator*". */
bool function_pattern_is_name(const struct function_pattern *pattern, const char *name);
bool function_pattern_fits_name(const struct function_pattern *pattern, const char *name);

/* Returns the last part of a name: "g" of "int n::S<long>::g<int>(int)". The caller frees it. */
char *function_name_base(const char *name);

#endif
