/* Restartable sequences (rseq(2), Linux' include/uapi/linux/rseq.h): sections of code that the kernel sends to an abort handler when the
 * thread is preempted, moved to another processor, or receives a signal in their midst.
 *
 * A step preempts, so that a section would never come to its end; in translated code the kernel would not know that the thread is in
 * one. So sections are stepped, unknown to the kernel, while no other thread of the process runs: none is preempted then. A signal sends
 * the thread to the abort handler, as the kernel would.
 *
 * A section is described in memory. Its descriptor is found by the instruction that takes its address.
 */
#ifndef ITRACE_ENGINE_THREADS_RSEQ_H
#define ITRACE_ENGINE_THREADS_RSEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn.h"
#include "target/target.h"

struct rseq_section {
	uint64_t descriptor_va;
	uint64_t start_va, end_va; /* of the last instruction, which commits, to the one behind */
	uint64_t abort_va;
};

struct rseq_sections {
	struct rseq_section *sections; /* [n_sections] in the order in which they were found */
	size_t n_sections, sections_capacity;
	uint64_t *named; /* [n_named] where descriptors may be that were not looked at yet */
	size_t n_named, named_capacity;
};

void rseq_sections_deinit(struct rseq_sections *sections);

/* Notes the address that the instruction at va names, if it does: that of a descriptor, maybe. */
void rseq_sections_note(struct rseq_sections *sections, uint64_t va, const struct insn *insn);

/* Looks at all addresses that were noted since it did so last, and adds new sections. */
void rseq_sections_look(struct rseq_sections *sections, const struct process *process);

/* The section that va is in, or NULL. Valid until another one is added. */
const struct rseq_section *rseq_sections_find(const struct rseq_sections *sections, uint64_t va);

#endif
