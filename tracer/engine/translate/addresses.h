/* Facts about addresses of the program at which translated code begins or to which it leads. */
#ifndef ITRACE_ENGINE_TRANSLATE_ADDRESSES_H
#define ITRACE_ENGINE_TRANSLATE_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/va_map.h"

/* The place where translated code for an address expects the program's R11. */
enum r11_home { R11_UNDECIDED, R11_IN_AREA, R11_IN_REGISTER };

#define FLAGS_UNKNOWN UINT16_MAX

struct address {
	uint32_t fragment;   /* index of the newest fragment at this address, or VA_MAP_NONE */
	uint32_t link;	     /* index of the first link to this address (link/links.h), or VA_MAP_NONE */
	uint32_t ibl_target; /* index of the newest ibl_target for this address (link/ibl.h), or VA_MAP_NONE */
	uint16_t flags_live; /* arithmetic flags that code from here on may read, or FLAGS_UNKNOWN */
	uint8_t flags_depth; /* recursion depth at which flags_live was found; smaller is more precise */
	enum r11_home r11 : 8;
};

struct addresses {
	struct va_map index; /* address: index in list */
	struct address *list;
	size_t n_list, list_capacity;
};

void addresses_deinit(struct addresses *addresses);

/* Forgets all addresses and keeps the memory. */
void addresses_clear(struct addresses *addresses);

/* Returns NULL if nothing is known of va. Valid until an address is added. */
const struct address *addresses_find(const struct addresses *addresses, uint64_t va);

/* Returns the entry of va; adds one with nothing known if needed. Valid until an address is added. */
struct address *addresses_at(struct addresses *addresses, uint64_t va);

void addresses_forget_flags(struct addresses *addresses);

#endif
