#include "engine/visits/batches.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "engine/task.h"

void stream_deinit(struct task_stream *stream)
{
	free(stream->blocks);
	free(stream->words);
	*stream = (struct task_stream){0};
}

static void end_block(struct profile *profile, struct task_stream *stream)
{
	if (!stream->n_insns)
		return;
	*ARRAY_ADD(stream, blocks) = profile_intern_block(profile, stream->insns, stream->n_insns);
	stream->n_insns = 0;
}

static void add_word(struct task_stream *stream, uint64_t word)
{
	*ARRAY_ADD(stream, words) = word;
}

static void hand_over(struct engine *engine, struct task *task, struct stream_batch batch)
{
	const struct trace_stream *listener = engine->plan->stream;
	struct task_stream *stream = &task->stream;

	if (!stream->has_number)
		stream->thread = engine->n_streams++;
	stream->has_number = true;
	batch.thread = stream->thread;
	batch.handlers = stream->handlers;
	batch.regions = task->counting;
	batch.n_regions = task->n_counting;
	batch.follows = stream->follows;
	listener->on_batch(listener->context, engine->profile, &batch);
	stream->follows = true;
}

void stream_flush(struct engine *engine, struct task *task)
{
	struct task_stream *stream = &task->stream;
	static const uint64_t no_words[1];
	struct stream_batch batch;

	end_block(engine->profile, stream);
	if (!stream->n_blocks)
		return;
	batch = (struct stream_batch){.blocks = stream->blocks, .n_blocks = stream->n_blocks};
	if (engine->plan->stream->wants_addresses) {
		batch.words = stream->n_words ? stream->words : no_words;
		batch.n_words = stream->n_words;
	}
	hand_over(engine, task, batch);
	stream->n_blocks = stream->n_words = 0;
}

void stream_add_records(struct engine *engine, struct task *task, const uint8_t *records, size_t n_bytes,
			struct stream_shapes *shapes)
{
	stream_flush(engine, task);
	task->stream.handlers = (uint32_t)task->n_handlers;
	hand_over(engine, task, (struct stream_batch){.records = records, .n_bytes = n_bytes, .shapes = shapes});
}

void stream_syscall(struct engine *engine, struct task *task, int64_t number, bool is_int80, uint64_t result)
{
	const struct trace_stream *listener = engine->plan->stream;
	struct stream_syscall call = {.regions = task->counting,
				      .n_regions = task->n_counting,
				      .number = number,
				      .is_int80 = is_int80,
				      .result = result};

	if (!listener || !listener->on_syscall || !task->n_counting)
		return;
	stream_flush(engine, task);
	call.thread = task->stream.thread;
	call.handlers = task->stream.handlers;
	if (!is_int80) {
		call.arguments[0] = task->before.rdi;
		call.arguments[1] = task->before.rsi;
		call.arguments[2] = task->before.rdx;
	}
	listener->on_syscall(listener->context, engine->profile, &call);
}

void stream_end(struct engine *engine, struct task *task)
{
	const struct trace_stream *listener = engine->plan->stream;

	stream_flush(engine, task);
	if (task->stream.has_number && listener->on_thread_end)
		listener->on_thread_end(listener->context, engine->profile, task->stream.thread);
	task->stream.has_number = false;
}

void stream_break(struct engine *engine, struct task *task)
{
	stream_flush(engine, task);
	task->stream.follows = false;
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

/* The words of one instruction; of a REP string instruction they are what they were at its first iteration. */
static void add_words(struct task *task, const struct profile_insn *insn)
{
	struct task_stream *stream = &task->stream;
	uint64_t words[INSN_MAX_OPERANDS];
	struct insn_operands operands;
	struct insn_registers registers;
	uint64_t length;
	size_t n_words;

	if (!insn->length || !insn_operands_decode(insn->bytes, insn->length, &operands))
		return;
	read_registers(task, &registers);
	n_words = insn_addresses(&operands, &registers, words);
	for (size_t i = 0; i < n_words; i++)
		add_word(stream, operands.is_repeated ? stream->rep_words[i] : words[i]);
	length = stream->rep_iterations * insn_iteration_bytes(&operands);
	if (operands.is_repeated)
		add_word(stream, task->before.eflags & EFLAGS_DF ? -length : length);
}

/* One stop of a REP string instruction. */
static void repeat(struct task *task, const struct profile_insn *insn, uint32_t index, uint64_t iterations)
{
	struct task_stream *stream = &task->stream;
	struct insn_operands operands;
	struct insn_registers registers;

	if (!stream->repeats || stream->rep_insn != index) {
		stream->repeats = true;
		stream->rep_insn = index;
		stream->rep_iterations = 0;
		read_registers(task, &registers);
		if (insn_operands_decode(insn->bytes, insn->length, &operands))
			insn_addresses(&operands, &registers, stream->rep_words);
	}
	stream->rep_iterations += iterations;
}

void stream_count(struct engine *engine, struct task *task, uint32_t index, uint64_t executions, uint64_t iterations)
{
	const struct profile_insn *insn = &engine->profile->insns[index], *last;
	struct task_stream *stream = &task->stream;
	bool is_site = task->site.index == index;

	if (is_site && task->site.insn.rep_count_bits)
		repeat(task, insn, index, iterations);
	if (!executions)
		return;
	if (stream->n_insns) {
		last = &engine->profile->insns[stream->insns[stream->n_insns - 1]];
		if (last->va + last->length != insn->va)
			end_block(engine->profile, stream);
	}
	if (!stream->n_blocks && !stream->n_insns)
		stream->handlers = (uint32_t)task->n_handlers;
	stream->insns[stream->n_insns++] = index;
	if (engine->plan->stream->wants_addresses && is_site)
		add_words(task, insn);
	stream->repeats = false;
	if ((is_site && task->site.insn.flow != FLOW_NEXT) || stream->n_insns == STREAM_BLOCK_INSNS)
		end_block(engine->profile, stream);
	if (stream->n_blocks >= STREAM_BATCH_BLOCKS)
		stream_flush(engine, task);
}
