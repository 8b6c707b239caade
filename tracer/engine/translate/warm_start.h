/* Translated code outlives its process. Another process of the run that executes the same program takes it over, with
 * its fragments, links and lookup table, and so runs from its first instruction without translation.
 *
 * With address-space randomization the program and its libraries lie elsewhere. A zone moves by as many bytes as the
 * code that it serves, so that displacements between the two stay right. Code that lies otherwise relative to the
 * zone, is not of a file, or was suspended is retired. All other pages of code are compared with the process's memory
 * before they are used. The bytes that hold whole addresses are known (struct absolute). */
#ifndef ITRACE_ENGINE_TRANSLATE_WARM_START_H
#define ITRACE_ENGINE_TRANSLATE_WARM_START_H

#include "engine/translate/translator.h"

/* Notes the program that the process executes, under which its code is kept. */
void warm_start_begin(struct translator *translator);

/* The process ended, or executes another program, and its counters are collected. Takes the code and the cache from the
 * translator. Does nothing if no other process can use them. */
void warm_start_keep(struct translator *translator);

/* Takes over the code of an earlier process. The thread is stopped as for cache_open. Returns false if there is none
 * that fits. */
bool warm_start_take(struct translator *translator, struct thread *thread);

#endif
