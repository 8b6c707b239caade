#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/code_fields.h"
#include "profile/columns.h"
#include "profile/format.h"
#include "profile/line_guess.h"

/* Inlined calls in each other. More would be damage, and whoever follows them up should not walk for ever. */
#define MAX_CALL_DEPTH 256

/* How the inlined call of an instruction is told. */
enum told {
	TOLD_SAME, /* as the instruction before */
	TOLD_NONE,
	TOLD_NEW,	   /* one that did not occur yet */
	TOLD_CALLER,	   /* that which the call before is in */
	TOLD_CALLERS_CALL, /* ... and that is in */
	TOLD_RECENT,	   /* plus its rank among those that occurred, the latest one first */
};

#define N_RECENT 32

/* And where a new one is called. */
enum called_in {
	CALLED_IN_NONE,
	CALLED_IN_SAME, /* in the inlined call of the instruction before */
	CALLED_IN_CALLER,
	CALLED_IN_CALLERS_CALL,
	CALLED_IN_ANY, /* plus how many calls before it */
};

struct line_io {
	const struct bytes_io *io;
	struct format_lines *lines;
	struct line_guess guess;
	uint32_t next;		   /* the first inlined call that did not occur */
	uint32_t recent[N_RECENT]; /* those that occurred last */
	unsigned n_recent;
	uint16_t *depths;	    /* [n_calls] */
	uint32_t function, inlined; /* of the instruction before: as they were */
	uint64_t opcode, opcode_before;
};

static uint32_t caller_of(const struct line_io *lio, uint32_t call)
{
	return call == PROFILE_NONE ? PROFILE_NONE : lio->lines->calls[call].caller;
}

/* Of the code that an inlined call is in, or is. */
static uint64_t function_of(const struct line_io *lio, uint32_t call, uint32_t function)
{
	return call == PROFILE_NONE ? function : lio->lines->calls[call].function;
}

static void fail(const struct line_io *lio, const char *problem)
{
	bytes_fail(lio->io->reader, problem);
}

/* An index, from its upper byte on. */
static uint32_t io_index(const struct line_io *lio, const struct hint *hint, uint32_t index)
{
	uint64_t known = 0;
	uint32_t result = 0;

	for (int shift = 24; shift >= 0; shift -= 8) {
		struct hint with = *hint;
		uint8_t byte;

		for (unsigned i = 0; i < with.n_contexts; i++)
			with.contexts[i] = hint_mix(with.contexts[i], known + (unsigned)shift);
		byte = bytes_io_byte(lio->io, &with, (uint8_t)(index >> shift));
		result |= (uint32_t)byte << shift;
		known = hint_mix(known, byte + 1u);
	}
	return result;
}

static uint32_t io_file(const struct line_io *lio, enum column column, uint32_t file, uint32_t guessed,
			uint64_t context)
{
	struct hint hint = {(uint8_t)column, 3, {guessed, hint_mix(guessed, context), hint_mix(context, 1)}};
	uint64_t value = file == guessed	? SAME_AS_BEFORE
			 : file == PROFILE_NONE ? NONE_AT_ALL
						: (uint64_t)file + FIRST_INDEX;

	value = bytes_io_uint(lio->io, &hint, value);
	return lio->io->reader ? format_reference(lio->io->reader, value, guessed, lio->lines->n_files) : file;
}

static uint32_t io_line(const struct line_io *lio, const struct hint *hint, uint32_t line, uint32_t guessed)
{
	int64_t result = guessed + bytes_io_int(lio->io, hint, (int64_t)line - guessed);

	if (result >= 0 && result <= UINT32_MAX)
		return (uint32_t)result;
	fail(lio, "a line is out of range");
	return 0;
}

static uint32_t io_column(const struct line_io *lio, const struct hint *hint, uint32_t column)
{
	uint64_t result = bytes_io_uint(lio->io, hint, column);

	if (result <= UINT32_MAX)
		return (uint32_t)result;
	fail(lio, "a number is out of range");
	return 0;
}

static uint32_t io_caller(const struct line_io *lio, uint32_t call, uint32_t caller)
{
	uint32_t before = lio->inlined, above = caller_of(lio, before), top = caller_of(lio, above);
	struct hint hint = {COLUMN_CALLED_IN,
			    2,
			    {function_of(lio, before, lio->function),
			     hint_mix(before == PROFILE_NONE, above == PROFILE_NONE)}};
	uint64_t value = caller == PROFILE_NONE ? CALLED_IN_NONE
			 : caller == before	? CALLED_IN_SAME
			 : caller == above	? CALLED_IN_CALLER
			 : caller == top	? CALLED_IN_CALLERS_CALL
						: CALLED_IN_ANY + (uint64_t)(call - caller);

	value = bytes_io_uint(lio->io, &hint, value);
	if (value < CALLED_IN_ANY) {
		const uint32_t callers[] = {PROFILE_NONE, before, above, top};

		return callers[value];
	}
	if (value - CALLED_IN_ANY > 0 && value - CALLED_IN_ANY <= call)
		return call - (uint32_t)(value - CALLED_IN_ANY);
	fail(lio, "a number is out of range");
	return PROFILE_NONE;
}

/* The call numbered lio->next, which is called in `caller`. */
static void io_call(struct line_io *lio, uint32_t function, uint32_t caller)
{
	struct profile_inlined *call = &lio->lines->calls[lio->next];
	struct profile_location guessed = line_guess_next(&lio->guess, function, caller);
	uint64_t in = function_of(lio, caller, function), here = hint_mix(in, guessed.line), pair;
	struct hint hint = {COLUMN_CALLED,
			    5,
			    {in, here, hint_mix(lio->opcode, 1), hint_mix(guessed.file, guessed.line),
			     hint_mix(function_of(lio, lio->inlined, lio->function), 2)}};

	call->caller = caller;
	lio->depths[lio->next] = caller == PROFILE_NONE ? 1 : (uint16_t)(lio->depths[caller] + 1);
	if (lio->depths[lio->next] > MAX_CALL_DEPTH)
		fail(lio, "inlined calls are nested too deep");
	call->function = io_index(lio, &hint, call->function);
	if (call->function >= lio->lines->n_functions) {
		fail(lio, "a call is of no function");
		call->function = 0;
		return;
	}
	pair = hint_mix(call->function, in);
	call->file = io_file(lio, COLUMN_CALL_FILE, call->file, guessed.file, pair);
	hint = (struct hint){COLUMN_CALL_LINE,
			     4,
			     {pair, hint_mix(pair, guessed.line), hint_mix(call->function, 3),
			      hint_mix(call->file != guessed.file, 4)}};
	call->line = io_line(lio, &hint, call->line, guessed.line);
	hint = (struct hint){COLUMN_CALL_COLUMN,
			     4,
			     {hint_mix(call->file, call->line), hint_mix(hint_mix(call->file, call->line), pair),
			      call->function, hint_mix(guessed.column, call->line == guessed.line)}};
	call->column = io_column(lio, &hint, call->column);
	lio->next++;
}

/* A call that did not occur yet, with those that it is in and that did not occur either. Returns the innermost one. */
static uint32_t io_new_calls(struct line_io *lio, uint32_t function, uint32_t inlined)
{
	struct hint hint = {COLUMN_NEW_CALLS, 2, {0, function_of(lio, lio->inlined, lio->function)}};
	uint64_t n = bytes_io_uint(lio->io, &hint, inlined - lio->next);
	uint32_t caller;

	if (n >= lio->lines->n_calls - lio->next) {
		fail(lio, "an instruction is of an inlined call that is not there");
		return PROFILE_NONE;
	}
	caller = io_caller(lio, lio->next, lio->lines->calls[lio->next].caller);
	for (uint64_t i = 0; i <= n; i++) {
		io_call(lio, function, caller);
		caller = lio->next - 1;
		if (lio->io->reader && lio->io->reader->problem)
			return PROFILE_NONE;
	}
	return caller;
}

static unsigned rank_of(const struct line_io *lio, uint32_t inlined)
{
	unsigned rank = 0;

	while (rank < lio->n_recent && lio->recent[rank] != inlined)
		rank++;
	return rank;
}

static void remember(struct line_io *lio, uint32_t inlined)
{
	unsigned rank = rank_of(lio, inlined);

	if (inlined == PROFILE_NONE)
		return;
	if (rank == lio->n_recent && lio->n_recent < N_RECENT)
		lio->n_recent++;
	if (rank == N_RECENT)
		rank--;
	memmove(lio->recent + 1, lio->recent, rank * sizeof(*lio->recent));
	lio->recent[0] = inlined;
}

static uint64_t tell(const struct line_io *lio, uint32_t inlined)
{
	if (inlined == lio->inlined)
		return TOLD_SAME;
	if (inlined == PROFILE_NONE)
		return TOLD_NONE;
	if (inlined >= lio->next)
		return TOLD_NEW;
	if (inlined == caller_of(lio, lio->inlined))
		return TOLD_CALLER;
	if (inlined == caller_of(lio, caller_of(lio, lio->inlined)))
		return TOLD_CALLERS_CALL;
	return TOLD_RECENT + rank_of(lio, inlined);
}

static uint32_t io_inlined(struct line_io *lio, uint32_t function, uint32_t inlined, uint64_t context)
{
	uint64_t in = function_of(lio, lio->inlined, lio->function);
	struct hint hint = {COLUMN_TOLD,
			    5,
			    {context, hint_mix(in, lio->guess.latest.line), hint_mix(in, context),
			     hint_mix(lio->opcode, 1),
			     hint_mix(hint_mix(lio->inlined == PROFILE_NONE, function == lio->function), lio->opcode)}};
	uint64_t told = bytes_io_uint(lio->io, &hint, tell(lio, inlined));

	if (told == TOLD_SAME)
		return lio->inlined;
	if (told == TOLD_NONE)
		return PROFILE_NONE;
	if (told == TOLD_NEW)
		return io_new_calls(lio, function, inlined);
	if (told == TOLD_CALLER || told == TOLD_CALLERS_CALL) {
		uint32_t above = caller_of(lio, lio->inlined);

		return told == TOLD_CALLER ? above : caller_of(lio, above);
	}
	if (told - TOLD_RECENT < lio->n_recent)
		return lio->recent[told - TOLD_RECENT];
	hint = (struct hint){COLUMN_TOLD_BACK, 1, {0}};
	told = bytes_io_uint(lio->io, &hint, lio->next - 1 - inlined);
	if (told < lio->next)
		return lio->next - 1 - (uint32_t)told;
	fail(lio, "an instruction is of an inlined call that is not there");
	return PROFILE_NONE;
}

static void io_location(struct line_io *lio, uint32_t function, uint64_t context, struct profile_location *location)
{
	struct profile_location guessed, before = lio->guess.latest;
	uint64_t in, here;
	struct hint hint;

	location->inlined = io_inlined(lio, function, location->inlined, context);
	guessed = line_guess_next(&lio->guess, function, location->inlined);
	in = function_of(lio, location->inlined, function);
	here = hint_mix(hint_mix(in, guessed.line), guessed.column);
	location->file = io_file(lio, COLUMN_FILE, location->file, guessed.file, in);
	hint = (struct hint){COLUMN_LINE,
			     5,
			     {here, hint_mix(here, lio->opcode), hint_mix(in, guessed.line) + 1,
			      hint_mix(hint_mix(location->inlined == lio->inlined, before.line == guessed.line),
				       context),
			      hint_mix(lio->opcode, location->file != guessed.file)}};
	location->line = io_line(lio, &hint, location->line, guessed.line);
	here = hint_mix(location->file, location->line);
	hint = (struct hint){COLUMN_COLUMN,
			     4,
			     {here, hint_mix(hint_mix(here, guessed.column), guessed.line == location->line),
			      hint_mix(here, lio->opcode), hint_mix(guessed.column, location->line == guessed.line)}};
	location->column = io_column(lio, &hint, location->column);
}

static void io_instruction(struct line_io *lio, size_t i)
{
	const struct profile_insn *insn = &lio->lines->insns[i];
	struct profile_location *location = &lio->lines->locations[i];
	bool is_behind = i > 0 && insn[-1].va + insn[-1].length == insn->va;
	uint64_t opcode = code_fields_opcode(insn->bytes, insn->length), context, place;
	const struct profile_location *latest = &lio->guess.latest;
	struct hint hint;
	bool is_same;

	context = hint_mix((uint64_t)is_behind << 1 | (insn->function == lio->function), lio->opcode);
	place = hint_mix(hint_mix(hint_mix(latest->file, latest->line), latest->column), lio->opcode);
	is_same = i > 0 && memcmp(location, latest, sizeof(*location)) == 0;
	hint = (struct hint){COLUMN_SAME_LOCATION,
			     5,
			     {context, hint_mix(context, opcode), hint_mix(place, opcode),
			      hint_mix(hint_mix(context, opcode), lio->opcode_before), hint_mix(place, 1)}};
	is_same = bytes_io_uint(lio->io, &hint, is_same);
	lio->opcode_before = lio->opcode;
	lio->opcode = opcode;
	if (is_same)
		*location = *latest;
	else
		io_location(lio, insn->function, context, location);
	line_guess_add(&lio->guess, insn->function, location);
	remember(lio, location->inlined);
	lio->function = insn->function;
	lio->inlined = location->inlined;
}

void format_io_lines(const struct bytes_io *io, struct format_lines *lines)
{
	struct line_io lio = {.io = io, .lines = lines, .function = PROFILE_NONE, .inlined = PROFILE_NONE};

	line_guess_init(&lio.guess, lines->calls, lines->n_calls, lines->n_functions);
	lio.depths = xcalloc(lines->n_calls, sizeof(*lio.depths));
	for (size_t i = 0; i < lines->n_insns && !(io->reader && io->reader->problem); i++)
		io_instruction(&lio, i);
	/* Those that no instruction is in. */
	while (lio.next < lines->n_calls && !(io->reader && io->reader->problem))
		io_call(&lio, lio.function, io_caller(&lio, lio.next, lines->calls[lio.next].caller));
	line_guess_deinit(&lio.guess);
	free(lio.depths);
}
