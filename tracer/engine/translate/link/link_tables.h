/* The data of links.c and ibl.c. */
#ifndef ITRACE_ENGINE_TRANSLATE_LINK_LINK_TABLES_H
#define ITRACE_ENGINE_TRANSLATE_LINK_LINK_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/va_map.h"
#include "engine/translate/cache.h"

/* A rel32 in the cache that jumps to the fragment at an address of the program. Without a fragment it jumps to an
 * exit stub. */
struct links {
	struct link {
		uint64_t patch_va; /* of the rel32 */
		uint32_t next;	   /* another link to the same address, or VA_MAP_NONE */
	} * links;
	size_t n_links, links_capacity;
	/* Jumps to addresses out of reach; each zone has its own. */
	struct far_jump {
		uint64_t va, to_va; /* in the cache */
	} * far_jumps;
	size_t n_far_jumps, far_jumps_capacity;
	struct va_map far_jump_to[ZONES_MAX]; /* to_va: index in far_jumps */
};

/* Indirect branches jump through a table in the area (AREA_TABLE), by the low 16 bits of their target. An entry leads
 * to an ibl_target: code that compares the whole target. If the target differs, that code jumps to the next
 * ibl_target of the slot, or after the last one to the miss code. */
struct ibl_target {
	uint64_t va;	   /* target address in the program */
	uint64_t code_va;  /* address of the comparison, in the cache */
	uint64_t patch_va; /* address of the rel32 that is taken if the target differs */
	uint32_t slot;	   /* index in the table */
	uint32_t next;	   /* the ibl_target that patch_va leads to; VA_MAP_NONE: to the miss code */
	bool keeps_flags;  /* the comparison preserves the program's flags */
	uint32_t older;	   /* another ibl_target for the same va, added earlier, or VA_MAP_NONE */
	uint32_t counter;  /* COUNTER_INDIRECT_EDGE, or COUNTER_NONE */
	bool is_removed;
};

/* The kinds of lookup sites. Each kind has its own part of the table. */
enum site_kind {
	SITE_ANY,      /* indirect branches with targets that ignore the flags */
	SITE_FLAGS,    /* indirect branches whose targets may read flags */
	SITE_RAX,      /* jumps to the address in RAX, as in interpreters */
	SITE_RECORDED, /* transfers that were recorded because no counter exists for them (emit/emit_edges.h) */
	N_SITE_KINDS,
};

/* The index into the table is site + low 16 bits of the target. If edges are counted, each site has a number of its
 * own, so that an ibl_target serves one site only. Otherwise all sites of a kind share one number. */
struct ibl_sites {
	uint32_t first;	  /* first slot of this kind's part of the table */
	uint32_t n_slots; /* number of slots, and so of different sites */
	uint32_t n_sites;
};

struct ibl {
	struct ibl_target *targets;
	size_t n_targets, targets_capacity;
	uint32_t *first; /* [n_slots] index + 1 of the first ibl_target of each slot; 0: none */
	size_t n_slots;
	struct ibl_sites sites[N_SITE_KINDS];
	uint64_t miss_va[N_SITE_KINDS]; /* miss code: an exit stub, or code that records the transfer */
	bool returns_flags;		/* some function returns a result in flags, so no ibl_target may change them */
};

#endif
