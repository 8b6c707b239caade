#include "costmodels/estimators/p5/pairing.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "decode/insn.h"

/* 242816, "Prefixed Opcodes": each prefix costs a clock to decode. 0F counts as a prefix, except in a near Jcc. This
 * clock never overlaps with the execution of a slow instruction. */
#define PREFIX_MCYC MCYC_PER_CYCLE
/* 242816, "Address Generation Interlock". */
#define ADDRESS_MCYC MCYC_PER_CYCLE
/* 242816: a store waits an extra cycle for its floating-point operand. */
#define ST_STORE_MCYC MCYC_PER_CYCLE
/* 242816: longer instructions do not pair. */
#define MAX_PAIR_BYTES 7

#define ESCAPE_MAP 1 /* opcode_map of opcodes after 0F */

static enum pairing_class class_of(const struct cost *cost, const struct insn_operands *operands)
{
	static const struct {
		const char *word;
		enum pairing_class class;
	} words[] = {
		{"UV", PAIRING_UV}, {"PU", PAIRING_PU}, {"PV", PAIRING_PV}, {"FX", PAIRING_FX}, {"FXCH", PAIRING_FXCH},
	};

	/* TEST with an immediate pairs only in the short encoding for the accumulator. The form does not show the
	 * encoding. */
	if (cost_has_flag(cost->flags, "UV-short") && !operands->has_modrm)
		return PAIRING_UV;
	for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
		if (cost_has_flag(cost->flags, words[i].word))
			return words[i].class;
	return PAIRING_NP;
}

/* The change of RSP by PUSH or POP neither prevents pairing nor delays an address. */
static void set_registers(struct pairing_insn *out, const struct insn_operands *operands)
{
	const uint16_t rsp = 1u << GENERAL_RSP;

	out->read = operands->read.general;
	out->written = operands->written.general;
	out->address = operands->address;
	out->moves_stack = operands->moves_stack;
	if (!out->moves_stack)
		return;
	out->read &= (uint16_t)~rsp;
	out->written &= (uint16_t)~rsp;
}

static void set_x87(struct pairing_insn *out, const struct cost *cost, const struct insn_operands *operands)
{
	out->st_read = operands->read.st;
	out->st_written = operands->written.st;
	out->st_pushes = operands->st_pushes;
	out->reads_status = operands->read.x87_status;
	out->writes_status = operands->written.x87_status;
	out->is_x87 = out->st_read || out->st_written || out->reads_status || out->writes_status;
	if (!out->is_x87)
		return;
	out->st_mcyc = cost->latency_mcyc;
	out->unit_mcyc = cost->throughput_mcyc;
	/* Integer instructions continue while the floating-point unit works on a long instruction. */
	if (out->class == PAIRING_FX && out->pipe_mcyc > MCYC_PER_CYCLE)
		out->pipe_mcyc = MCYC_PER_CYCLE;
}

/* A P5 has no REX prefix and no 64-bit constants. Its 32-bit addresses need no prefix. */
static void set_encoding(struct pairing_insn *out, const struct insn_operands *operands, uint8_t length)
{
	unsigned bytes = length, n_prefixes = operands->n_prefixes;

	bytes -= (unsigned)operands->has_rex + operands->has_address_size_prefix;
	bytes -= operands->immediate_bytes == 8 || operands->displacement_bytes == 8 ? 4 : 0;
	n_prefixes -= (unsigned)operands->has_address_size_prefix + operands->is_repeated;
	if (operands->opcode_map >= ESCAPE_MAP && !out->is_branch)
		n_prefixes++;
	out->has_prefix = n_prefixes > 0;
	out->prefix_mcyc = (mcyc_t)n_prefixes * PREFIX_MCYC;
	out->is_long = bytes > MAX_PAIR_BYTES;
	out->has_displacement_and_immediate = operands->displacement_bytes && operands->immediate_bytes;
}

void pairing_insn_init(struct pairing_insn *out, const struct cost *cost, const uint8_t *bytes, uint8_t length)
{
	struct insn_operands operands;
	struct insn insn;

	*out = (struct pairing_insn){0};
	if (cost->match == COST_UNKNOWN || !insn_operands_decode(bytes, length, &operands) ||
	    !insn_decode(bytes, length, &insn))
		return;
	out->class = class_of(cost, &operands);
	out->pipe_mcyc = cost->throughput_mcyc;
	out->is_branch = insn.flow == FLOW_BRANCH || insn.flow == FLOW_JUMP || insn.flow == FLOW_CALL;
	out->flags_read = operands.read.flags;
	out->flags_written = operands.written.flags;
	out->reads_memory = operands.reads_memory;
	out->writes_memory = operands.writes_memory;
	out->names_stack = insn_operands_name_stack(&operands);
	set_registers(out, &operands);
	set_encoding(out, &operands, length);
	set_x87(out, cost, &operands);
}

static bool classes_pair(const struct pairing_insn *first, const struct pairing_insn *second)
{
	if (first->class == PAIRING_FX)
		return second->class == PAIRING_FXCH;
	return (first->class == PAIRING_UV || first->class == PAIRING_PU) &&
	       (second->class == PAIRING_UV || second->class == PAIRING_PV);
}

/* 242816, "Unpairability Due to Registers" and "Special Pairs": the second instruction may not read or write any
 * part of a register that the first writes. Allowed are a write to a register that the first reads, two writes of
 * flags, and a branch on the first instruction's flags. */
static bool depends(const struct pairing_insn *first, const struct pairing_insn *second)
{
	if (first->written & (second->read | second->written | second->address))
		return true;
	if ((first->flags_written & second->flags_read) && !second->is_branch)
		return true;
	if (!first->moves_stack)
		return false;
	/* PUSH pairs with PUSH or CALL, and POP with POP, for registers and immediates. */
	return second->names_stack || (second->moves_stack && first->writes_memory != second->writes_memory);
}

enum pairing_verdict pairing_check(const struct pairing_insn *first, const struct pairing_insn *second)
{
	if (!classes_pair(first, second))
		return UNPAIRED_BY_CLASS;
	if (first->has_displacement_and_immediate || second->has_displacement_and_immediate)
		return UNPAIRED_BY_DISPLACEMENT_AND_IMMEDIATE;
	if (second->has_prefix)
		return UNPAIRED_BY_PREFIX;
	if (first->is_long || second->is_long)
		return UNPAIRED_BY_LENGTH;
	return depends(first, second) ? UNPAIRED_BY_DEPENDENCE : PAIRING_ALLOWED;
}

static void add_times(mcyc_t *sum, mcyc_t mcyc, uint64_t count)
{
	__int128 total = *sum + (__int128)mcyc * count;

	assert(total <= INT64_MAX);
	*sum = (mcyc_t)total;
}

static mcyc_t max_mcyc(mcyc_t a, mcyc_t b)
{
	return a > b ? a : b;
}

/* 242816, "Restrictions on Pair Execution": a read-modify-write in U delays V until its last cycle, in which it
 * writes. */
static mcyc_t pair_mcyc(const struct pairing_insn *first, const struct pairing_insn *second)
{
	bool is_modifying = first->reads_memory && first->writes_memory;
	mcyc_t alone = is_modifying ? first->pipe_mcyc - MCYC_PER_CYCLE : 0;

	return max_mcyc(first->pipe_mcyc, alone + second->pipe_mcyc);
}

/* Returns how long an x87 instruction waits for results in flight. *from is the instruction that it waits for. */
static mcyc_t x87_wait(const struct pairing_insn *insn, const struct pairing_state *state, uint32_t *from)
{
	mcyc_t wait = 0, early = insn->writes_memory ? 0 : ST_STORE_MCYC;

	if (!insn->is_x87 || insn->class == PAIRING_FXCH)
		return 0;
	if (state->unit_mcyc > wait) {
		wait = state->unit_mcyc;
		*from = state->unit_from;
	}
	if (insn->reads_status && state->status_mcyc > wait) {
		wait = state->status_mcyc;
		*from = state->status_from;
	}
	for (int i = 0; i < INSN_N_ST; i++) {
		if (!(insn->st_read & 1u << i) || state->st_mcyc[i] - early <= wait)
			continue;
		wait = state->st_mcyc[i] - early;
		*from = state->st_from[i];
	}
	return wait;
}

static void pass_time(struct pairing_state *state, mcyc_t mcyc)
{
	state->unit_mcyc = max_mcyc(state->unit_mcyc - mcyc, 0);
	state->status_mcyc = max_mcyc(state->status_mcyc - mcyc, 0);
	for (int i = 0; i < INSN_N_ST; i++)
		state->st_mcyc[i] = max_mcyc(state->st_mcyc[i] - mcyc, 0);
}

static void set_st(struct pairing_state *state, int i, mcyc_t mcyc, uint32_t from)
{
	state->st_mcyc[i] = mcyc;
	state->st_from[i] = from;
}

/* Rotates by one register. With `by` 1, st(0) becomes st(1). */
static void rotate_st(struct pairing_state *state, int by)
{
	struct pairing_state before = *state;

	for (int i = 0; i < INSN_N_ST; i++) {
		int old = (i - by + INSN_N_ST) % INSN_N_ST;

		set_st(state, i, before.st_mcyc[old], before.st_from[old]);
	}
}

static void exchange_st(struct pairing_state *state, const struct pairing_insn *insn)
{
	struct pairing_state before = *state;

	for (int i = 1; i < INSN_N_ST; i++) {
		if (!(insn->st_written & 1u << i))
			continue;
		set_st(state, i, before.st_mcyc[0], before.st_from[0]);
		set_st(state, 0, before.st_mcyc[i], before.st_from[i]);
	}
}

/* Records the results that an x87 instruction leaves in flight. */
static void begin_x87(const struct pairing_insn *insn, uint32_t index, struct pairing_state *state)
{
	if (!insn->is_x87)
		return;
	if (insn->class == PAIRING_FXCH) {
		exchange_st(state, insn);
		return;
	}
	for (int pushes = insn->st_pushes; pushes > 0; pushes--)
		rotate_st(state, 1);
	for (int i = 0; i < INSN_N_ST; i++)
		if (insn->st_written & 1u << i)
			set_st(state, i, insn->st_mcyc + ST_STORE_MCYC, index);
	for (int pushes = insn->st_pushes; pushes < 0; pushes++)
		rotate_st(state, -1);
	state->unit_mcyc = insn->unit_mcyc;
	state->unit_from = index;
	if (insn->writes_status) {
		state->status_mcyc = insn->st_mcyc;
		state->status_from = index;
	}
}

/* The time that issuing one instruction or pair adds, and the instructions charged for it. */
struct issue {
	uint32_t first, second; /* indices; equal if one instruction issues alone */
	bool is_pair;
	mcyc_t prefix_mcyc, first_mcyc, second_mcyc;
	mcyc_t address_mcyc; /* charged to address_by, the delayed instruction */
	uint32_t address_by;
	mcyc_t wait_mcyc; /* charged to wait_for, the x87 instruction whose result is not ready */
	uint32_t wait_for;
};

static mcyc_t issue_mcyc(const struct issue *issue)
{
	return issue->prefix_mcyc + issue->address_mcyc + issue->wait_mcyc + issue->first_mcyc + issue->second_mcyc;
}

static struct issue plan_issue(const struct pairing_insn *insns, uint32_t first, uint32_t second, bool is_pair,
			       const struct pairing_state *state)
{
	const struct pairing_insn *u = &insns[first], *v = &insns[second];
	struct issue issue = {.first = first, .second = second, .is_pair = is_pair, .wait_for = first};
	mcyc_t waited, wait;

	issue.prefix_mcyc = u->prefix_mcyc + (is_pair ? v->prefix_mcyc : 0);
	issue.first_mcyc = u->pipe_mcyc;
	issue.second_mcyc = is_pair ? pair_mcyc(u, v) - u->pipe_mcyc : 0;
	issue.address_by = state->just_written & u->address ? first : second;
	if (state->just_written & (u->address | (is_pair ? v->address : 0)))
		issue.address_mcyc = max_mcyc(ADDRESS_MCYC - u->prefix_mcyc, 0);
	waited = issue.prefix_mcyc + issue.address_mcyc;
	wait = x87_wait(u, state, &issue.wait_for);
	issue.wait_mcyc = max_mcyc(wait - waited, 0);
	return issue;
}

static void make_issue(const struct pairing_insn *insns, const struct issue *issue, struct pairing_state *state)
{
	const struct pairing_insn *u = &insns[issue->first], *v = &insns[issue->second];
	mcyc_t execution_mcyc = issue->first_mcyc + issue->second_mcyc;

	pass_time(state, issue_mcyc(issue) - execution_mcyc);
	begin_x87(u, issue->first, state);
	if (issue->is_pair)
		begin_x87(v, issue->second, state);
	pass_time(state, execution_mcyc);
	state->just_written = u->written | (issue->is_pair ? v->written : 0);
}

static void charge(struct pairing_insn *insns, const struct issue *issue, uint64_t count)
{
	add_times(&insns[issue->first].mcyc, issue->prefix_mcyc + issue->first_mcyc, count);
	add_times(&insns[issue->second].mcyc, issue->second_mcyc, count);
	add_times(&insns[issue->address_by].mcyc, issue->address_mcyc, count);
	add_times(&insns[issue->wait_for].mcyc, issue->wait_mcyc, count);
	if (issue->is_pair)
		insns[issue->second].v_executions += count;
}

void pairing_run(struct pairing_insn *insns, const struct pairing_sequence *sequence, enum pairing_mode mode,
		 struct pairing_state *state, struct pairing_totals *totals)
{
	const uint32_t *indices = sequence->indices;
	size_t n = sequence->n_insns;
	uint64_t count = sequence->count;

	for (size_t i = 0; i < n;) {
		uint32_t first = indices[i], second = i + 1 < n ? indices[i + 1] : first;
		const struct pairing_insn *u = &insns[first], *v = &insns[second];
		bool is_pair = i + 1 < n &&
			       (mode == PAIRING_IDEAL ? classes_pair(u, v) : pairing_check(u, v) == PAIRING_ALLOWED);
		struct issue issue = plan_issue(insns, first, is_pair ? second : first, is_pair, state);

		make_issue(insns, &issue, state);
		if (mode == PAIRING_REAL)
			charge(insns, &issue, count);
		add_times(&totals->mcyc, issue_mcyc(&issue), count);
		add_times(&totals->address_mcyc, issue.address_mcyc, count);
		add_times(&totals->prefix_mcyc, issue.prefix_mcyc, count);
		totals->v_executions += is_pair ? count : 0;
		i += is_pair ? 2 : 1;
	}
}
