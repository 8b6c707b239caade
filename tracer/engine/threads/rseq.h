/* Restartable sequences (rseq(2), Linux' include/uapi/linux/rseq.h): sections of code that the kernel restarts at an
 * abort handler when the thread is preempted, migrated, or receives a signal inside.
 *
 * Each step preempts, so a stepped section would never complete. The kernel would not recognize a translated copy of
 * a section. So itrace steps sections, hides them from the kernel, and stops all other threads of the process
 * meanwhile, so that none can interfere (rseq_stepping.c). A signal sends the thread to the abort handler, as the
 * kernel would.
 *
 * A descriptor in memory describes a section. itrace finds a descriptor by an instruction that names the descriptor's
 * address: LEA, or MOV of an immediate.
 */
#ifndef ITRACE_ENGINE_THREADS_RSEQ_H
#define ITRACE_ENGINE_THREADS_RSEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn.h"
#include "target/target.h"

struct engine;
struct task;

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

/* Notes the address that the instruction at va names, if any: a descriptor may be there. */
void rseq_sections_note(struct rseq_sections *sections, uint64_t va, const struct insn *insn);

/* Reads memory at all addresses noted since the last call, and adds the sections found there. */
void rseq_sections_look(struct rseq_sections *sections, const struct process *process);

/* Returns the section that contains va, or NULL. Valid until a section is added. */
const struct rseq_section *rseq_sections_find(const struct rseq_sections *sections, uint64_t va);

/* The thread is about to be stepped at regs->rip. Inside a section, stops the other threads and hides the section
 * from the kernel, which would abort it at the first step. Outside, lets the other threads run again. */
void rseq_stepping_enter(struct engine *engine, struct task *task, const struct target_regs *regs);

/* Sends a thread inside a section to the abort handler, as the kernel does after a preemption. */
void rseq_stepping_abort(struct engine *engine, struct task *task, struct target_regs *regs);

#endif
