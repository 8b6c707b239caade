/* The engine's side of stream/stream.h: gathers the blocks of a task into batches. */
#ifndef ITRACE_ENGINE_VISITS_BATCHES_H
#define ITRACE_ENGINE_VISITS_BATCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/insn_address.h"
#include "stream/stream.h"

struct engine;
struct task;

enum {
	STREAM_BLOCK_INSNS = 48,   /* at most, in a block */
	STREAM_BATCH_BLOCKS = 4096 /* at which a batch is handed over */
};

/* Of one task; all zero at first. */
struct task_stream {
	bool has_number;
	uint32_t thread;   /* its number */
	uint32_t handlers; /* that the batch was executed in */
	bool follows;	   /* the batch goes on where the last one ended */
	uint32_t insns[STREAM_BLOCK_INSNS];
	size_t n_insns; /* of the block under way */
	uint32_t *blocks;
	size_t n_blocks, blocks_capacity;
	uint64_t *words;
	size_t n_words, words_capacity;

	/* A REP string instruction of which iterations were executed. */
	bool repeats;
	uint32_t rep_insn; /* its index */
	uint64_t rep_words[INSN_MAX_OPERANDS];
	uint64_t rep_iterations;
};

/* As task_count, which calls it. What was executed has just retired, from task->before, unless it accesses no memory. */
void stream_count(struct engine *engine, struct task *task, uint32_t insn, uint64_t executions, uint64_t iterations);

/* Records that translated code wrote; some. */
void stream_add_records(struct engine *engine, struct task *task, const uint8_t *records, size_t n_bytes,
			struct stream_shapes *shapes);

/* Hands over what was gathered, in the name of the regions in task->counting. */
void stream_flush(struct engine *engine, struct task *task);

/* The same; what comes next does not follow it. */
void stream_break(struct engine *engine, struct task *task);

/* The instruction that was counted last made a system call. */
void stream_syscall(struct engine *engine, struct task *task, int64_t number, bool is_int80, uint64_t result);

/* The thread is gone, or executes nothing more. */
void stream_end(struct engine *engine, struct task *task);

void stream_deinit(struct task_stream *stream);

#endif
