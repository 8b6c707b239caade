#include "flow.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "source/symbolize.h"
#include "decode/insn_address.h"
#include "report/report.h"
#include "target/target.h"

enum { BUFFER_BYTES = 1 << 16, ADDRESSES_AT_ONCE = 384 };

/* Closed on exec, so that the traced program does not see the descriptor. */
FILE *flow_open_temporary(void)
{
	FILE *file = tmpfile();

	if (!file || fcntl(fileno(file), F_SETFD, FD_CLOEXEC) < 0 || setvbuf(file, NULL, _IOFBF, BUFFER_BYTES)) {
		perror("divergence: cannot make a temporary file");
		exit(2);
	}
	return file;
}

static struct flow_thread *thread_of(struct flow *flow, uint32_t number, bool has_files)
{
	while (flow->n_threads <= number) {
		struct flow_thread *thread = ARRAY_ADD(flow, threads);

		thread->last_insn = PROFILE_NONE;
		if (!has_files)
			continue;
		thread->insns = flow_open_temporary();
		thread->words = flow_open_temporary();
		thread->told = flow_open_temporary();
	}
	return &flow->threads[number];
}

static void put(FILE *file, const void *items, size_t size, size_t n)
{
	if (fwrite(items, size, n, file) != n) {
		perror("divergence: cannot write a temporary file");
		exit(2);
	}
}

bool flow_is_compared(const struct profile *profile, const struct profile_insn *insn)
{
	return insn->module == PROFILE_NONE || strcmp(profile->modules[insn->module].path, "[vdso]") != 0;
}

static bool is_compared(const struct profile *profile, const struct profile_block *block)
{
	return flow_is_compared(profile, &profile->insns[profile->block_insns[block->first]]);
}

void flow_record(struct flow *flow, const struct profile *profile, const struct stream_batch *batch)
{
	struct flow_thread *thread = thread_of(flow, batch->thread, true);
	struct stream_cursor cursor = stream_begin(profile, batch);

	while (stream_next(&cursor)) {
		const struct profile_block *block = &profile->blocks[cursor.block];

		if (!is_compared(profile, block))
			continue;
		for (size_t i = 0; i < block->n_insns; i++)
			put(thread->insns, &profile->insns[profile->block_insns[block->first + i]].va, sizeof(uint64_t),
			    1);
		put(thread->words, cursor.addresses, sizeof(uint64_t), block->n_addresses);
		thread->n_insns += block->n_insns;
		flow->n_insns += block->n_insns;
	}
}

void flow_record_told(struct flow *flow, const struct profile *profile, const struct stream_syscall *call)
{
	struct flow_thread *thread = thread_of(flow, call->thread, true);
	struct told told;

	told_take(profile, call, thread->n_insns, &told);
	put(thread->told, &told, sizeof(told), 1);
}

void flow_write_insn(FILE *out, struct profile *profile, struct source *source, uint32_t insn)
{
	symbolize_insn(profile, source, insn);
	report_write_trace_line(out, profile, insn, NULL);
}

/* Writes the lines of one or two instructions. */
static char *write_lines(struct flow_comparison *comparison, struct profile *profile, uint32_t first, uint32_t second)
{
	char *text = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&text, &n_bytes);

	if (first != PROFILE_NONE)
		flow_write_insn(out, profile, comparison->source, first);
	if (second != PROFILE_NONE)
		flow_write_insn(out, profile, comparison->source, second);
	fclose(out);
	return text;
}

static void part(struct flow_comparison *comparison, struct profile *profile, struct flow_thread *thread, uint32_t next,
		 uint64_t other_va)
{
	const struct process process = {.pid = profile->pid};

	thread->has_parted = true;
	if (comparison->parting.is_found)
		return;
	comparison->is_randomized = process_is_randomized(&process);
	comparison->parting = (struct flow_place){
		.is_found = true,
		.thread = (uint32_t)(thread - comparison->own.threads),
		.at = thread->n_insns,
		.own_va = next == PROFILE_NONE ? 0 : profile->insns[next].va,
		.other_va = other_va,
		.lines = write_lines(comparison, profile, thread->last_insn, next),
	};
}

/* The instruction of the block that a word belongs to. */
static size_t insn_of_word(const struct profile *profile, const struct profile_block *block, size_t word)
{
	for (size_t i = 0; i < block->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[profile->block_insns[block->first + i]];
		struct insn_operands operands;
		size_t n_words = 0;

		if (insn->length && insn_operands_decode(insn->bytes, insn->length, &operands))
			n_words = insn_count_address_entries(&operands);
		if (word < n_words)
			return i;
		word -= n_words;
	}
	return block->n_insns - 1;
}

static void compare_words(struct flow_comparison *comparison, struct profile *profile, const struct flow_thread *thread,
			  FILE *recorded, const struct stream_cursor *cursor)
{
	const struct profile_block block = profile->blocks[cursor->block];
	uint64_t other[ADDRESSES_AT_ONCE];

	for (size_t from = 0; from < block.n_addresses; from += ADDRESSES_AT_ONCE) {
		size_t n = block.n_addresses - from < ADDRESSES_AT_ONCE ? block.n_addresses - from : ADDRESSES_AT_ONCE;

		if (fread(other, sizeof(*other), n, recorded) != n || comparison->access.is_found)
			continue;
		for (size_t i = 0; i < n; i++) {
			size_t insn;

			if (other[i] == cursor->addresses[from + i])
				continue;
			insn = insn_of_word(profile, &block, from + i);
			comparison->access = (struct flow_place){
				.is_found = true,
				.thread = (uint32_t)(thread - comparison->own.threads),
				.at = thread->n_insns - block.n_insns + insn,
				.own_va = cursor->addresses[from + i],
				.other_va = other[i],
				.lines = write_lines(comparison, profile, profile->block_insns[block.first + insn],
						     PROFILE_NONE),
			};
			break;
		}
	}
}

/* Returns false if the threads differ. */
static bool compare_block(struct flow_comparison *comparison, struct profile *profile, struct flow_thread *thread,
			  FILE *recorded, uint32_t index)
{
	const struct profile_block block = profile->blocks[index];

	for (size_t i = 0; i < block.n_insns; i++) {
		uint32_t insn = profile->block_insns[block.first + i];
		uint64_t va;

		if (!recorded || fread(&va, sizeof(va), 1, recorded) != 1)
			va = 0;
		if (va != profile->insns[insn].va) {
			part(comparison, profile, thread, insn, va);
			return false;
		}
		thread->last_insn = insn;
		thread->n_insns++;
	}
	return true;
}

static struct flow_thread *recorded_of(const struct flow_comparison *comparison, uint32_t thread)
{
	static struct flow_thread none;

	return thread < comparison->recorded->n_threads ? &comparison->recorded->threads[thread] : &none;
}

void flow_compare(struct flow_comparison *comparison, struct profile *profile, const struct stream_batch *batch)
{
	struct flow_thread *thread = thread_of(&comparison->own, batch->thread, false);
	const struct flow_thread *recorded = recorded_of(comparison, batch->thread);
	struct stream_cursor cursor = stream_begin(profile, batch);

	while (stream_next(&cursor)) {
		if (!is_compared(profile, &profile->blocks[cursor.block]))
			continue;
		comparison->own.n_insns += profile->blocks[cursor.block].n_insns;
		if (thread->has_parted)
			continue;
		if (compare_block(comparison, profile, thread, recorded->insns, cursor.block))
			compare_words(comparison, profile, thread, recorded->words, &cursor);
	}
}

void flow_compare_told(struct flow_comparison *comparison, const struct profile *profile,
		       const struct stream_syscall *call)
{
	struct flow_thread *thread = thread_of(&comparison->own, call->thread, false);
	const struct flow_thread *recorded = recorded_of(comparison, call->thread);
	struct told told, other;

	if (thread->has_parted || !recorded->told || fread(&other, sizeof(other), 1, recorded->told) != 1)
		return;
	told_take(profile, call, thread->n_insns, &told);
	if (told_is_same(&told, &other))
		return;
	comparison->last_told = told;
	comparison->kinds_told |= told_kind(&told);
	if (comparison->n_told < TOLD_SHOWN) {
		comparison->told[comparison->n_told][0] = other;
		comparison->told[comparison->n_told++][1] = told;
	}
	comparison->n_told_all++;
}

uint64_t flow_make_same(struct flow_comparison *comparison, const struct profile *profile,
			const struct stream_syscall *call)
{
	const struct flow_thread *recorded = recorded_of(comparison, call->thread);
	struct flow_thread *thread = thread_of(&comparison->own, call->thread, false);
	struct told told, other;

	if (thread->has_parted || !recorded->told || fread(&other, sizeof(other), 1, recorded->told) != 1)
		return call->result;
	fseek(recorded->told, -(long)sizeof(other), SEEK_CUR);
	told_take(profile, call, 0, &told);
	if (told_is_same(&told, &other) || !(told_kind(&told) & comparison->same))
		return call->result;
	return told_make_same(profile->pid, &told, &other);
}

void flow_rewind(struct flow *flow)
{
	for (size_t i = 0; i < flow->n_threads; i++) {
		rewind(flow->threads[i].insns);
		rewind(flow->threads[i].words);
		rewind(flow->threads[i].told);
	}
}

bool flow_has_call(struct flow *flow, int64_t number)
{
	bool has_call = false;
	struct told told;

	flow_rewind(flow);
	for (size_t i = 0; i < flow->n_threads; i++)
		while (!has_call && fread(&told, sizeof(told), 1, flow->threads[i].told) == 1)
			has_call = told.number == number;
	return has_call;
}

void flow_compare_ends(struct flow_comparison *comparison, struct profile *profile)
{
	for (size_t i = 0; i < comparison->recorded->n_threads; i++) {
		struct flow_thread *thread = thread_of(&comparison->own, (uint32_t)i, false);
		uint64_t va;

		if (!thread->has_parted && fread(&va, sizeof(va), 1, comparison->recorded->threads[i].insns) == 1)
			part(comparison, profile, thread, PROFILE_NONE, va);
	}
}

void flow_deinit(struct flow *flow)
{
	for (size_t i = 0; i < flow->n_threads; i++) {
		struct flow_thread *thread = &flow->threads[i];

		if (!thread->insns)
			continue;
		fclose(thread->insns);
		fclose(thread->words);
		fclose(thread->told);
	}
	free(flow->threads);
	*flow = (struct flow){0};
}

void flow_comparison_deinit(struct flow_comparison *comparison)
{
	flow_deinit(&comparison->own);
	free(comparison->parting.lines);
	free(comparison->access.lines);
}
