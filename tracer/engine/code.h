/* The code of the traced program: each instruction decoded once, with its index in the profile.
 *
 * The program may change its code by mapping other memory, by mprotect, or by writes to writable code. A cached
 * instruction is valid until the memory map may have changed. An instruction on a writable page is compared with
 * memory at each use.
 */
#ifndef ITRACE_ENGINE_CODE_H
#define ITRACE_ENGINE_CODE_H

#include "base/va_map.h"
#include "decode/insn.h"
#include "engine/threads/rseq.h"
#include "profile/profile.h"
#include "regions/modules.h"
#include "target/target.h"

struct code_site {
	uint64_t va;
	struct insn insn; /* length 0: undecodable, or no memory there */
	uint32_t index;	  /* in profile->insns */
	uint32_t checked; /* generation of the memory map in which the bytes were compared last */
	bool is_mutable;  /* on a page that was writable in this generation */
	bool is_vsyscall; /* a system call that the kernel emulates */
};

/* Forms that were found before, in any process of the run. All zero at first. */
struct code_forms {
	struct code_form *list; /* [CODE_FORMS] by a hash of the key; a key of zeros: none */
	uint32_t n_codes;	/* numbers given to struct code */
};

void code_forms_deinit(struct code_forms *forms);

struct code {
	struct code_site *sites; /* [n_sites] found by code_at */
	size_t n_sites, sites_capacity;
	struct va_map site_at;	  /* index in sites */
	struct va_map site_pages; /* the numbers of the pages in which sites begin; the values have no meaning */
	struct va_map insn_at;	  /* index in profile->insns of the latest instruction at an address */
	uint32_t *same_va;	  /* [n_insns] by instruction: the next instruction at the same address, in a ring */
	size_t same_va_capacity;
	uint32_t generation;	      /* number of the current memory map, above 0 */
	uint32_t mappings_generation; /* generation in which `mappings` was read; 0: outdated */
	struct mapping_list mappings;
	struct code_forms *forms; /* of the run */
	uint32_t number;	  /* in the run; > 0 */
	const struct process *process;
	struct profile *profile;
	const struct modules *modules;
	struct rseq_sections *sections; /* gets each new instruction (rseq_sections_note) */
	bool is_volatile;		/* other threads may change the memory map at any time */
};

/* The caller sets process, profile, modules, sections and forms. */
void code_init(struct code *code);
void code_deinit(struct code *code);

/* Makes room for about n_insns more instructions. */
void code_expect(struct code *code, size_t n_insns);

/* The memory map may have changed: each cached instruction is compared at its next use. */
void code_invalidate(struct code *code);

/* As code_invalidate, for the memory from start_va to end_va. */
void code_invalidate_range(struct code *code, uint64_t start_va, uint64_t end_va);

/* Returns true if a SYSCALL instruction may have changed code. `before` and `after` are the registers around it. */
bool code_may_change(const struct code *code, const struct target_regs *before, const struct target_regs *after);

/* Forgets all code, because the process has executed another program. */
void code_forget(struct code *code);

/* Returns the instruction at va as it is now. Valid until the next call. */
const struct code_site *code_at(struct code *code, uint64_t va);

/* Returns the index in the profile of an instruction that was executed at va. */
uint32_t code_index(struct code *code, uint64_t va, const struct insn *insn);

#endif
