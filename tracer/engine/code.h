/* The code of the traced program as the engine knows it: each instruction decoded once, and its index in the profile.
 *
 * Code may change under our feet: by munmap and mmap, mprotect, or plain writes into writable code. A cached instruction is trusted
 * until the memory map may have changed, and never where its page can be written; then its bytes are read again.
 */
#ifndef ITRACE_ENGINE_CODE_H
#define ITRACE_ENGINE_CODE_H

#include "decode/insn.h"
#include "engine/threads/rseq.h"
#include "base/va_map.h"
#include "profile/profile.h"
#include "regions/modules.h"
#include "target/target.h"

struct code_site {
	uint64_t va;
	struct insn insn; /* length 0: undecodable, or no memory there */
	uint32_t index;	  /* in profile->insns */
	uint32_t checked; /* map generation in which the bytes were last compared */
	bool is_mutable;  /* on a page that can be written, in this generation */
	bool is_vsyscall; /* emulated by the kernel, whole */
};

/* The form of an instruction that was met: others that differ in values only have the same. */
struct code_form {
	uint64_t key[2];
	uint32_t form; /* in profile->forms */
};

struct code {
	struct code_site *sites; /* [n_sites] those that were asked for by code_at */
	size_t n_sites, sites_capacity;
	struct va_map site_at; /* index in sites */
	uint32_t *slots; /* [n_slots] open addressing by va: index + 1 in the profile of what was there last; 0: free */
	size_t n_slots, n_used_slots;
	uint32_t generation;	      /* of the memory map; > 0 */
	uint32_t mappings_generation; /* for which `mappings` was read */
	struct mapping_list mappings;
	uint32_t *others; /* by instruction index: another one that was at its address; a ring of all of them */
	size_t others_capacity;
	struct code_form *forms; /* [CODE_FORMS], by a hash of the key; all bits 0: none */
	const struct modules *modules;
	struct rseq_sections *sections; /* what the code at a new site says of them is noted there */
	bool never_trust;		/* other threads can change the map at any time */
};

void code_init(struct code *code, const struct modules *modules, struct rseq_sections *sections);
void code_deinit(struct code *code);

/* The memory map may have changed: check everything anew when it is met again. */
void code_distrust(struct code *code);

/* Another program runs now. */
void code_forget(struct code *code);

/* The instruction at va as it is now; the pointer is valid until the next call. */
const struct code_site *code_at(struct code *code, const struct process *process, struct profile *profile, uint64_t va);

/* The index in the profile of an instruction that was at va when it was executed. */
uint32_t code_index(struct code *code, struct profile *profile, uint64_t va, const struct insn *insn);

#endif
