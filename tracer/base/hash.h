/* uthash for structs with a `UT_hash_handle hh`, with an allocation that cannot fail. */
#ifndef ITRACE_BASE_HASH_H
#define ITRACE_BASE_HASH_H

#include <stdlib.h>

#include "base/array.h"

#define uthash_malloc(n_bytes) xcalloc(1, n_bytes)
#include <uthash.h>

/* Frees a table and all its entries, and sets the head to NULL. The head may be NULL. */
#define HASH_FREE(head)                                \
	do {                                           \
		__typeof__(head) entry_, next_;        \
                                                       \
		HASH_ITER (hh, head, entry_, next_) {  \
			HASH_DELETE(hh, head, entry_); \
			free(entry_);                  \
		}                                      \
	} while (0)

#endif
