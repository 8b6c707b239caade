/* Hash tables of structs with a `UT_hash_handle hh`: uthash, where running out of memory ends in xcalloc. */
#ifndef ITRACE_BASE_HASH_H
#define ITRACE_BASE_HASH_H

#include <stdlib.h>

#include "base/array.h"

#define uthash_malloc(n_bytes) xcalloc(1, n_bytes)
#include <uthash.h>

/* Releases a table with all its entries. The head, which may be NULL, is NULL then. */
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
