/* Restartable sequences (rseq(2), Linux' include/uapi/linux/rseq.h): sections of code that the kernel restarts at an
 * abort handler when the thread is preempted, migrated, or receives a signal inside.
 *
 * Each step preempts, so a stepped section would never complete. In copies of the code the kernel would not
 * recognize the section. So sections are stepped without the kernel knowing, while no other thread of the process
 * runs: none is preempted then (rseq_stepping.h). A signal sends the thread to the abort handler, as the kernel
 * would.
 *
 * A descriptor in memory describes a section. It is found by the instruction that takes its address.
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
	uint64_t start_va, end_va; /* the last instruction, which commits, ends at end_va */
	uint64_t abort_va;
};

struct rseq_sections {
	struct rseq_section *sections; /* [n_sections] in the order in which they were found */
	size_t n_sections, sections_capacity;
	uint64_t *named; /* [n_named] possible addresses of descriptors that were not read yet */
	size_t n_named, named_capacity;
};

void rseq_sections_deinit(struct rseq_sections *sections);

/* Notes the address that the instruction at va takes, if any: a descriptor may be there. */
void rseq_sections_note(struct rseq_sections *sections, uint64_t va, const struct insn *insn);

/* Reads all addresses noted since the last call, and adds the sections that are found. */
void rseq_sections_look(struct rseq_sections *sections, const struct process *process);

/* The section that va is in, or NULL. Valid until one is added. */
const struct rseq_section *rseq_sections_find(const struct rseq_sections *sections, uint64_t va);

#endif
