#include "engine/visits/batches.h"

#include <stdlib.h>

#include "base/array.h"

enum { BATCH_BLOCKS = 4096 }; /* a batch is handed over when it has this many */

void batches_deinit(struct task_batch *batch)
{
	free(batch->blocks);
	free(batch->addresses);
	*batch = (struct task_batch){0};
}

static void end_block(struct profile *profile, struct task_batch *batch)
{
	if (!batch->n_insns)
		return;
	*ARRAY_ADD(batch, blocks) = profile_intern_block(profile, batch->insns, batch->n_insns);
	batch->n_insns = 0;
}

static void hand_over(struct engine *engine, struct task *task, struct stream_batch batch)
{
	const struct trace_stream *listener = engine->plan->stream;
	struct task_batch *gathered = &task->batch;

	if (!gathered->has_number)
		gathered->thread = engine->n_streams++;
	gathered->has_number = true;
	batch.thread = gathered->thread;
	batch.handlers = gathered->handlers;
	batch.regions = task->counting;
	batch.n_regions = task->n_counting;
	batch.is_continuation = gathered->is_continuation;
	listener->on_batch(listener->context, engine->profile, &batch);
	gathered->is_continuation = true;
}

void batches_flush(struct engine *engine, struct task *task)
{
	static const uint64_t no_addresses[1];
	struct task_batch *gathered = &task->batch;
	struct stream_batch batch;

	end_block(engine->profile, gathered);
	if (!gathered->n_blocks)
		return;
	batch = (struct stream_batch){.blocks = gathered->blocks, .n_blocks = gathered->n_blocks};
	if (engine->plan->stream->wants_addresses) {
		batch.addresses = gathered->n_addresses ? gathered->addresses : no_addresses;
		batch.n_addresses = gathered->n_addresses;
	}
	hand_over(engine, task, batch);
	gathered->n_blocks = gathered->n_addresses = 0;
}

void batches_add_encoded(struct engine *engine, struct task *task, const struct stream_batch *encoded)
{
	batches_flush(engine, task);
	task->batch.handlers = (uint32_t)task->n_handlers;
	hand_over(engine, task, *encoded);
}

void batches_add_syscall(struct engine *engine, struct task *task, int64_t number, bool is_int80, uint64_t result)
{
	const struct trace_stream *listener = engine->plan->stream;
	struct stream_syscall call = {.regions = task->counting,
				      .n_regions = task->n_counting,
				      .number = number,
				      .is_int80 = is_int80,
				      .result = result};

	if (!listener || !listener->on_syscall || !task->n_counting)
		return;
	batches_flush(engine, task);
	call.thread = task->batch.thread;
	call.handlers = task->batch.handlers;
	if (!is_int80) {
		call.arguments[0] = task->before.rdi;
		call.arguments[1] = task->before.rsi;
		call.arguments[2] = task->before.rdx;
	}
	listener->on_syscall(listener->context, engine->profile, &call);
}

void batches_end(struct engine *engine, struct task *task)
{
	const struct trace_stream *listener = engine->plan->stream;

	batches_flush(engine, task);
	if (task->batch.has_number && listener->on_thread_end)
		listener->on_thread_end(listener->context, engine->profile, task->batch.thread);
	task->batch.has_number = false;
}

void batches_break(struct engine *engine, struct task *task)
{
	batches_flush(engine, task);
	task->batch.is_continuation = false;
}

static void read_registers(const struct task *task, struct insn_registers *registers)
{
	const struct target_regs *regs = &task->before;

	*registers = (struct insn_registers){
		.general = {regs->rax, regs->rcx, regs->rdx, regs->rbx, regs->rsp, regs->rbp, regs->rsi, regs->rdi,
			    regs->r8, regs->r9, regs->r10, regs->r11, regs->r12, regs->r13, regs->r14, regs->r15},
		.next_va = regs->rip + task->site.insn.length,
		.fs_base = regs->fs_base,
		.gs_base = regs->gs_base,
	};
}

/* Adds the operand addresses of one instruction. For a REP string instruction they are those of its first iteration,
 * with the length. */
static void add_addresses(struct task *task, const struct profile_insn *insn)
{
	struct task_batch *batch = &task->batch;
	uint64_t addresses[INSN_MAX_OPERANDS];
	struct insn_operands operands;
	struct insn_registers registers;
	uint64_t length;
	size_t n_addresses;

	if (!insn->length || !insn_operands_decode(insn->bytes, insn->length, &operands))
		return;
	read_registers(task, &registers);
	n_addresses = insn_find_addresses(&operands, &registers, addresses);
	for (size_t i = 0; i < n_addresses; i++)
		*ARRAY_ADD(batch, addresses) = operands.is_repeated ? batch->rep_addresses[i] : addresses[i];
	length = batch->rep_iterations * insn_iteration_bytes(&operands);
	if (operands.is_repeated)
		*ARRAY_ADD(batch, addresses) = task->before.eflags & EFLAGS_DF ? -length : length;
}

/* Handles a stop of a REP string instruction after some of its iterations. */
static void add_iterations(struct task *task, const struct profile_insn *insn, uint32_t index, uint64_t iterations)
{
	struct task_batch *batch = &task->batch;
	struct insn_operands operands;
	struct insn_registers registers;

	if (!batch->repeats || batch->rep_insn != index) {
		batch->repeats = true;
		batch->rep_insn = index;
		batch->rep_iterations = 0;
		read_registers(task, &registers);
		if (insn_operands_decode(insn->bytes, insn->length, &operands))
			insn_find_addresses(&operands, &registers, batch->rep_addresses);
	}
	batch->rep_iterations += iterations;
}

void batches_add_insn(struct engine *engine, struct task *task, uint32_t index, uint64_t executions,
		      uint64_t iterations)
{
	const struct profile_insn *insn = &engine->profile->insns[index], *last;
	struct task_batch *batch = &task->batch;
	bool is_site = task->site.index == index;

	if (is_site && task->site.insn.rep_count_bits)
		add_iterations(task, insn, index, iterations);
	if (!executions)
		return;
	if (batch->n_insns) {
		last = &engine->profile->insns[batch->insns[batch->n_insns - 1]];
		if (last->va + last->length != insn->va)
			end_block(engine->profile, batch);
	}
	if (!batch->n_blocks && !batch->n_insns)
		batch->handlers = (uint32_t)task->n_handlers;
	batch->insns[batch->n_insns++] = index;
	if (engine->plan->stream->wants_addresses && is_site)
		add_addresses(task, insn);
	batch->repeats = false;
	if ((is_site && task->site.insn.flow != FLOW_NEXT) || batch->n_insns == BATCH_BLOCK_INSNS)
		end_block(engine->profile, batch);
	if (batch->n_blocks >= BATCH_BLOCKS)
		batches_flush(engine, task);
}
