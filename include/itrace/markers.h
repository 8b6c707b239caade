/* Marks regions of code for itrace:
 *
 *	PA_BEGIN("sort");
 *	sort(items, n);
 *	PA_END("sort");
 *
 * Compile as always and run `itrace ./prog`. There is nothing to link. A program that is not traced executes a one-byte
 * NOP for each marker that it passes. -DPA_DISABLE removes the markers. Needs gcc or clang, for C99 or C++11 or later.
 * For targets other than x86-64 ELF, the markers compile to nothing.
 *
 * Names. A name is one string literal of at most 4,000 bytes, or a macro that is one. It may hold spaces, quotes and
 * any UTF-8. The escape sequences are those of the assembler: \" \\ \n \t \r \b \f, octal and \x. PA_BEGIN() and
 * PA_END() mark the one region without a name. Markers of the same name belong to the same region, in any function,
 * file or shared library of a program. gcc refuses names with "%[", or "%", a letter and "[". clang -masm=intel drops
 * each "$" from a name.
 *
 * Order. A marker is a compiler barrier. The compiler moves none of these across it: reads and writes of memory that
 * other code could see, volatile accesses, calls of functions that may do so, and other markers. It may move
 * computations on values in registers (arithmetic on locals, calls of pure functions). To keep such a result inside a
 * region, store it before PA_END in a volatile variable or in memory that other code reads.
 *
 * Place. Regions may nest, overlap and recur. A marker in an inlined function, in a template or in an unrolled loop can
 * exist many times in the program. itrace knows each copy. A marker is a statement in the body of a function. It is not
 * allowed at file scope, in a constant expression or in a naked function.
 */
#ifndef ITRACE_MARKERS_H
#define ITRACE_MARKERS_H

#define ITRACE_MARKERS_VERSION 1 /* of this interface; rises when it changes */

#define PA_BEGIN(...) ITRACE_MARKER_("begin", __VA_ARGS__) /* the name must be one string literal */
#define PA_END(...) ITRACE_MARKER_("end", __VA_ARGS__)	   /* the name must be one string literal */

/* Expands to ITRACE_NAMED_ if there is a name, else to ITRACE_UNNAMED_. With a name, ITRACE_TWO_ has no parenthesis
 * after it and is not expanded, so the third argument is ITRACE_NAMED_. Without a name, `ITRACE_TWO_ ()` expands to two
 * arguments, and the third argument is ITRACE_UNNAMED_. */
#define ITRACE_MARKER_(kind, ...) \
	ITRACE_THIRD_(ITRACE_TWO_ __VA_ARGS__(), ITRACE_UNNAMED_, ITRACE_NAMED_, ~)(kind, __VA_ARGS__)
#define ITRACE_TWO_(...) ~, ~
#define ITRACE_THIRD_(...) ITRACE_THIRD_EXPANDED_(__VA_ARGS__)
#define ITRACE_THIRD_EXPANDED_(first, second, third, ...) third
#define ITRACE_UNNAMED_(kind, empty) ITRACE_PROBE_(ITRACE_ONE_STRING_LITERAL_(empty), "itrace", "\"" kind "\"")
#define ITRACE_NAMED_(kind, name) \
	ITRACE_PROBE_(ITRACE_ONE_STRING_LITERAL_(name), "itrace", "\"" kind "__\"\n\t.ascii " #name)

/* Compiles only if the name is a string literal, or nothing. */
#define ITRACE_ONE_STRING_LITERAL_(name) ((void)sizeof("" name ""))

#if defined(PA_DISABLE) || !defined(__x86_64__) || defined(__ILP32__) || !defined(__ELF__)

#define ITRACE_PROBE_(check, provider, probe_name) \
	do {                                       \
		check;                             \
	} while (0)

#else

/* For inlining decisions, the compiler estimates the size of an asm statement by its number of lines. With `inline` it
 * assumes one instruction. */
#if defined(__clang__) ? __clang_major__ >= 11 : __GNUC__ >= 9
#define ITRACE_ASM_ __asm__ __volatile__ __inline__
#else
#define ITRACE_ASM_ __asm__ __volatile__
#endif

/* A probe is a NOP and a note that describes it, in version 3 of the format of SystemTap's statically defined tracing
 * (https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation). gdb, perf, bpftrace and readelf -n read such
 * notes, too. The provider is "itrace", or "itrace_scope" for PA_SCOPE. The probe's name is "begin__REGION" or
 * "end__REGION". The unnamed region has "begin" and "end", and every scope ends with "end".
 *
 * The asm statement with the name has no operands: without operands, the characters % { | } in a name have no special
 * meaning. The empty asm statements before and after it are the barrier for memory accesses. All three are volatile,
 * which keeps their order. The flag "?" of .pushsection puts the note into the section group (COMDAT) of the code, if
 * the code has one, so that the linker keeps or drops both. .stapsdt.base tells a reader how far prelink moved the
 * program. Its symbol has the name that other SDT headers use, because the linker merges these. If a marked function is
 * unused, ld.bfd --gc-sections keeps it, lld drops it and leaves a note with a meaningless address, and gold fails.
 */
#define ITRACE_PROBE_(check, provider, probe_name)                                                    \
	do {                                                                                          \
		check;                                                                                \
		__asm__ __volatile__("" ::: "memory");                                                \
		ITRACE_ASM_("990:\tnop\n"                                                             \
			    "\t.pushsection .note.stapsdt,\"?\",\"note\"\n"                           \
			    "\t.balign 4\n"                                                           \
			    "\t.4byte 992f-991f, 994f-993f, 3\n"                                      \
			    "991:\t.asciz \"stapsdt\"\n"                                              \
			    "992:\t.balign 4\n"                                                       \
			    "993:\t.8byte 990b\n"                                                     \
			    "\t.8byte _.stapsdt.base\n"                                               \
			    "\t.8byte 0\n"                                                            \
			    "\t.asciz \"" provider "\"\n"                                             \
			    "\t.ascii " probe_name "\n"                                               \
			    "\t.byte 0, 0\n"                                                          \
			    "994:\t.balign 4\n"                                                       \
			    "\t.popsection\n"                                                         \
			    "\t.ifndef _.stapsdt.base\n"                                              \
			    "\t.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
			    "\t.weak _.stapsdt.base\n"                                                \
			    "\t.hidden _.stapsdt.base\n"                                              \
			    "_.stapsdt.base:\n"                                                       \
			    "\t.byte 0\n"                                                             \
			    "\t.size _.stapsdt.base, 1\n"                                             \
			    "\t.popsection\n"                                                         \
			    "\t.endif");                                                              \
		__asm__ __volatile__("" ::: "memory");                                                \
	} while (0)

#endif

#endif
