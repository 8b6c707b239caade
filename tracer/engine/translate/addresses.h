/* What is known of addresses of the program at which translated code begins, or leads to: open addressing, never deletes single ones. All of it is
 * asked for at about the same time, so it lies together. */
#ifndef ITRACE_ENGINE_TRANSLATE_ADDRESSES_H
#define ITRACE_ENGINE_TRANSLATE_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/va_map.h"

/* Where code at an address expects the program's R11. */
enum r11_home { R11_UNDECIDED, R11_IN_AREA, R11_IN_REGISTER };

#define FLAGS_UNKNOWN UINT16_MAX

struct address {
	uint64_t va;
	uint32_t block;	     /* index in blocks, of the one made last; VA_MAP_NONE: none */
	uint32_t link;	     /* the first of the links that lead there, or VA_MAP_NONE */
	uint32_t landing;    /* the one registered last, or VA_MAP_NONE */
	uint16_t flags_live; /* or FLAGS_UNKNOWN */
	uint8_t flags_depth; /* how many branches before it were looked behind when that was found out, so that so many less were after it */
	enum r11_home r11 : 8;
	bool is_used;
};

struct addresses {
	struct address *slots; /* [n_slots], a power of two; NULL while empty */
	size_t n_slots, n_used;
};

void addresses_deinit(struct addresses *addresses);
void addresses_clear(struct addresses *addresses); /* keeps the memory, for as many again */

/* What is known of va; NULL: nothing. Valid until another one is added. */
const struct address *addresses_find(const struct addresses *addresses, uint64_t va);

/* The same, to note more; added, with nothing known, if need be. */
struct address *addresses_at(struct addresses *addresses, uint64_t va);

/* Forgets flags_live of all. */
void addresses_forget_flags(struct addresses *addresses);

#endif
