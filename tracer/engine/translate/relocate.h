/* Adapts translated code to another process, in which the program's files lie elsewhere (warm_start.h). */
#ifndef ITRACE_ENGINE_TRANSLATE_RELOCATE_H
#define ITRACE_ENGINE_TRANSLATE_RELOCATE_H

#include "engine/translate/translator.h"

/* How far code lies from where it was translated, in bytes. */
struct moves {
	struct move {
		uint64_t start_va, end_va; /* where it was */
		int64_t n_bytes;
		bool is_gone; /* the process has no such code */
	} * list;	      /* [n_list] ascending; modules */
	size_t n_list, list_capacity;
	int64_t *of_zones; /* [ZONES_MAX], memory of the caller */
};

void moves_deinit(struct moves *moves);

/* Compares the memory of the translator's process with the code. Sets moves->list and of_zones. Returns false if the
 * code does not fit. */
bool moves_find(struct moves *moves, struct translator *translator);

/* Changes all addresses in the code and in what is known of it. The zones have moved already. */
void relocate(struct translator *translator, const struct moves *moves);

#endif
