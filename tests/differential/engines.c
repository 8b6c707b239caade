/* Runs a program with both engines and compares its output, its exit status, how often each instruction was executed
 * and, in separate runs, each transfer of control and the order of execution. Output and exit status must also equal
 * those without itrace.
 *
 *     engines [--function NAME] [--most N] [--step no] [--order no] [--traces SEED] PROGRAM [ARGUMENT ...]
 *
 * Without --function, everything from the entry point on is compared. Exit status: 0 if all is equal; 1, after
 * printing the differences; 77, a skip, if more than N instructions were executed, which would take long to step.
 * With --step no, nothing is stepped: the reference is the translate engine, counting everything at once and without
 * traces. With --order no, only counts and transfers are compared. Each translated run is repeated with traces from
 * the start; SEED, 1 by default, chooses their blocks, and 0 omits these runs. Code in the vDSO is not compared: it
 * restarts if the kernel updates the time while it reads it.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "engine/engine.h"
#include "engine/translate/log/log_reader.h"

enum { SHOWN_MAX = 20, SKIPPED = 77 };

struct outcome {
	struct profile profile;
	char *printed;
	size_t n_printed;
	uint64_t order, addresses; /* hashes of the stream */
	size_t n_batches;	   /* with records */
	struct block_hash *blocks; /* [n_blocks] hashes of the profile's blocks so far */
	size_t n_blocks, blocks_capacity;
};

/* The hash of the order is a polynomial over the executed instructions. A block turns the hash before it into hash *
 * power + sum, so that each block is hashed only once and engines may cut blocks differently. */
struct block_hash {
	bool is_known, is_compared;
	uint64_t power;
	uint64_t sum;	      /* of the instructions' addresses */
	uint64_t weight;      /* added to the sum if every instruction adds 1 more */
	uint64_t first_power; /* added to the sum if the first instruction adds 1 more */
};

enum extra { COUNTS_ONLY = 0, WITH_EDGES = 1, WITH_ORDER = 2, WITH_ADDRESSES = 4 };

/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
#define SCRAMBLER UINT64_C(0x9e3779b97f4a7c15)

static uint64_t scrambled(uint64_t value)
{
	value = (value ^ value >> 29) * SCRAMBLER;
	return value ^ value >> 32;
}

static void mix(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ (*hash >> 29) ^ value) * SCRAMBLER;
}

static bool is_compared(const struct profile *profile, const struct profile_insn *insn)
{
	return insn->module == PROFILE_NONE || strcmp(profile->modules[insn->module].path, "[vdso]") != 0;
}

static const struct block_hash *hash_of(struct outcome *outcome, const struct profile *profile, uint32_t index)
{
	const struct profile_block *block = &profile->blocks[index];
	const uint32_t *insns = &profile->block_insns[block->first];
	struct block_hash *hash;

	while (outcome->n_blocks <= index)
		ARRAY_ADD(outcome, blocks);
	hash = &outcome->blocks[index];
	if (hash->is_known)
		return hash;
	*hash = (struct block_hash){.is_known = true,
				    .is_compared = is_compared(profile, &profile->insns[insns[0]]),
				    .power = 1};
	for (size_t i = 0; i < block->n_insns; i++) {
		hash->first_power = hash->power;
		hash->power *= SCRAMBLER;
		hash->sum = hash->sum * SCRAMBLER + scrambled(profile->insns[insns[i]].va);
		hash->weight = hash->weight * SCRAMBLER + 1;
	}
	return hash;
}

/* The sum does not depend on how an engine cuts batches and blocks. */
static void add_batch(void *context, struct profile *profile, const struct stream_batch *batch)
{
	struct outcome *outcome = context;
	/* Each instruction adds this besides its address. The first one adds something else if the batch does not
	 * follow. */
	const uint64_t surroundings = batch->n_regions << 32 | batch->handlers << 16 | batch->thread << 1;
	const uint64_t addend = scrambled(surroundings | 1), first_addend = scrambled(surroundings);
	struct stream_cursor cursor = stream_begin(profile, batch);

	/* Addresses are made in both ways by turns. */
	if (batch->source)
		log_reader_shapes(batch->source)->by_avx512 = outcome->n_batches++ % 2 && log_reader_has_avx512();
	for (size_t i = 0; stream_next(&cursor); i++) {
		const struct block_hash *hash = hash_of(outcome, profile, cursor.block);
		size_t n_addresses = cursor.addresses ? profile->blocks[cursor.block].n_addresses : 0;

		if (!hash->is_compared)
			continue;
		for (size_t k = 0; k < n_addresses; k++)
			mix(&outcome->addresses, cursor.addresses[k]);
		outcome->order = outcome->order * hash->power + hash->sum + addend * hash->weight;
		if (i == 0 && !batch->is_continuation)
			outcome->order += (first_addend - addend) * hash->first_power;
	}
}

static char *read_all(FILE *file, size_t *n_bytes)
{
	struct stat status;
	char *bytes;

	fflush(file);
	if (fstat(fileno(file), &status) < 0)
		abort();
	bytes = xcalloc(1, (size_t)status.st_size + 1);
	*n_bytes = (size_t)pread(fileno(file), bytes, (size_t)status.st_size, 0);
	return bytes;
}

static void run(const char *const *argv, const char *function, enum engine_kind engine, enum extra extra,
		uint32_t traces_seed, struct outcome *outcome)
{
	struct interrupts interrupts = {0};
	const struct trace_stream stream = {.wants_addresses = extra & WITH_ADDRESSES,
					    .on_batch = add_batch,
					    .context = outcome};
	const struct trace_plan plan = {
		.argv = argv,
		.disable_aslr = true,
		.engine = engine,
		.want_edges = extra & WITH_EDGES,
		.traces_seed = traces_seed,
		.stream = extra & (WITH_ORDER | WITH_ADDRESSES) ? &stream : NULL,
		.functions = &function,
		.n_functions = function != NULL,
		.whole_program = function == NULL,
	};
	FILE *output = tmpfile();
	int own_stdout = dup(STDOUT_FILENO);
	struct error err = {0};
	bool ok;

	if (!output || own_stdout < 0 || dup2(fileno(output), STDOUT_FILENO) < 0)
		abort();
	ok = engine_run(&plan, &interrupts, &outcome->profile, &err);
	dup2(own_stdout, STDOUT_FILENO);
	close(own_stdout);
	if (!ok) {
		printf("%s\n", err.text);
		exit(1);
	}
	outcome->printed = read_all(output, &outcome->n_printed);
	fclose(output);
}

/* Runs the program without itrace. */
static void run_alone(const char *const *argv, struct outcome *outcome)
{
	FILE *output = tmpfile();
	int status = 0;
	pid_t pid;

	if (!output || (pid = fork()) < 0)
		abort();
	if (!pid) {
		dup2(fileno(output), STDOUT_FILENO);
		personality(ADDR_NO_RANDOMIZE);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		continue;
	profile_init(&outcome->profile);
	outcome->profile.exited = WIFEXITED(status);
	outcome->profile.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	outcome->profile.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	outcome->printed = read_all(output, &outcome->n_printed);
	fclose(output);
}

/* Counts of one instruction in the region, keyed by its address and bytes. */
struct row {
	const struct profile_insn *insn;
	uint64_t executions, iterations;
};

static int compare_places(const struct profile_insn *left, const struct profile_insn *right)
{
	if (left->va != right->va)
		return left->va < right->va ? -1 : 1;
	return memcmp(left->bytes, right->bytes, sizeof(left->bytes));
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *left = a, *right = b;

	return compare_places(left->insn, right->insn);
}

static struct row *make_rows(const struct profile *profile, const struct profile_region *region, size_t *n_rows)
{
	struct row *rows = xcalloc(region->n_counts, sizeof(*rows));

	*n_rows = 0;
	for (size_t i = 0; i < region->n_counts; i++)
		if ((region->executions[i] || region->iterations[i]) && is_compared(profile, &profile->insns[i]))
			rows[(*n_rows)++] = (struct row){.insn = &profile->insns[i],
							 .executions = region->executions[i],
							 .iterations = region->iterations[i]};
	qsort(rows, *n_rows, sizeof(*rows), compare_rows);
	return rows;
}

static void show(const struct row *row, const struct row *other)
{
	char text[128];

	insn_disassemble(row->insn->bytes, row->insn->length, row->insn->va, text, sizeof(text));
	printf("  0x%" PRIx64 " %-40s %" PRIu64 " %" PRIu64, row->insn->va, text, row->executions, row->iterations);
	if (other)
		printf(" against %" PRIu64 " %" PRIu64, other->executions, other->iterations);
	printf("\n");
}

static size_t compare_insns(const struct profile *step, const struct profile_region *step_region,
			    const struct profile *translate, const struct profile_region *translate_region)
{
	size_t n_left, n_right, i = 0, j = 0, n_different = 0;
	struct row *left = make_rows(step, step_region, &n_left);
	struct row *right = make_rows(translate, translate_region, &n_right);

	while (i < n_left || j < n_right) {
		int order = i == n_left ? 1 : j == n_right ? -1 : compare_rows(&left[i], &right[j]);
		bool same = order == 0 && left[i].executions == right[j].executions &&
			    left[i].iterations == right[j].iterations;

		if (!same && n_different++ < SHOWN_MAX)
			show(order <= 0 ? &left[i] : &right[j], order == 0 ? &right[j] : NULL);
		i += order <= 0;
		j += order >= 0;
	}
	free(left);
	free(right);
	return n_different;
}

/* A transfer of control, keyed by the addresses and bytes of both ends. */
struct edge {
	const struct profile_insn *from, *to;
	uint64_t count;
};

static int compare_edge_places(const void *a, const void *b)
{
	const struct edge *left = a, *right = b;
	int order = compare_places(left->from, right->from);

	return order ? order : compare_places(left->to, right->to);
}

static struct edge *make_edges(const struct profile *profile, const struct profile_region *region, size_t *n_edges)
{
	struct edge *edges = xcalloc(region->edges.n_rows + 1, sizeof(*edges));

	*n_edges = 0;
	for (size_t i = 0; i < region->edges.n_rows; i++) {
		const struct profile_insn *from = &profile->insns[region->edges.rows[i].from];

		if (is_compared(profile, from))
			edges[(*n_edges)++] = (struct edge){.from = from,
							    .to = &profile->insns[region->edges.rows[i].to],
							    .count = region->edges.rows[i].count};
	}
	qsort(edges, *n_edges, sizeof(*edges), compare_edge_places);
	return edges;
}

static void show_edge(const struct edge *edge, const struct edge *other)
{
	printf("  0x%" PRIx64 " to 0x%" PRIx64 ": %" PRIu64, edge->from->va, edge->to->va, edge->count);
	if (other)
		printf(" against %" PRIu64, other->count);
	printf("\n");
}

static size_t compare_edges(const struct profile *step, const struct profile_region *step_region,
			    const struct profile *translate, const struct profile_region *translate_region)
{
	size_t n_left, n_right, i = 0, j = 0, n_different = 0;
	struct edge *left = make_edges(step, step_region, &n_left);
	struct edge *right = make_edges(translate, translate_region, &n_right);

	while (i < n_left || j < n_right) {
		int order = i == n_left ? 1 : j == n_right ? -1 : compare_edge_places(&left[i], &right[j]);

		if ((order != 0 || left[i].count != right[j].count) && n_different++ < SHOWN_MAX)
			show_edge(order <= 0 ? &left[i] : &right[j], order == 0 ? &right[j] : NULL);
		i += order <= 0;
		j += order >= 0;
	}
	free(left);
	free(right);
	return n_different;
}

static uint64_t calls(const struct profile_region *region, int64_t number)
{
	for (size_t i = 0; i < region->n_syscalls; i++)
		if (region->syscalls[i].number == number)
			return region->syscalls[i].count;
	return 0;
}

static size_t compare_syscalls(const struct profile_region *step, const struct profile_region *translate)
{
	size_t n_different = step->n_syscalls != translate->n_syscalls;

	for (size_t i = 0; i < step->n_syscalls; i++) {
		uint64_t count = calls(translate, step->syscalls[i].number);

		if (count == step->syscalls[i].count)
			continue;
		printf("  %s: %" PRIu64 " against %" PRIu64 "\n", step->syscalls[i].name, step->syscalls[i].count,
		       count);
		n_different++;
	}
	return n_different;
}

static const struct profile_region *find_region(const struct profile *profile, const struct profile_region *like)
{
	for (size_t i = 0; i < profile->n_regions; i++)
		if ((profile->regions[i].handlers_of == PROFILE_NONE) == (like->handlers_of == PROFILE_NONE) &&
		    strcmp(profile->regions[i].name, like->name) == 0)
			return &profile->regions[i];
	return NULL;
}

static size_t compare_ends(const struct outcome *step, const struct outcome *translate)
{
	const struct profile *a = &step->profile, *b = &translate->profile;
	size_t n_different = 0;

	if (a->exited != b->exited || a->exit_status != b->exit_status || a->signal != b->signal) {
		printf("  it ends differently\n");
		n_different++;
	}
	if (step->n_printed != translate->n_printed ||
	    memcmp(step->printed, translate->printed, step->n_printed) != 0) {
		printf("  it prints something else\n");
		n_different++;
	}
	return n_different;
}

static size_t compare(const struct outcome *step, const struct outcome *translate)
{
	const struct profile *a = &step->profile, *b = &translate->profile;
	size_t n_different = compare_ends(step, translate);

	if (translate->order && step->order != translate->order) {
		printf("  another order of execution\n");
		n_different++;
	}
	if (translate->addresses && step->addresses != translate->addresses) {
		printf("  other addresses\n");
		n_different++;
	}
	for (size_t i = 0; i < a->n_regions; i++) {
		const struct profile_region *region = find_region(b, &a->regions[i]);

		if (!region || region->visits != a->regions[i].visits) {
			printf("  region %s: other visits\n", a->regions[i].name);
			n_different++;
			continue;
		}
		n_different += compare_insns(a, &a->regions[i], b, region);
		n_different += compare_syscalls(&a->regions[i], region);
		if (translate->profile.has_edges)
			n_different += compare_edges(a, &a->regions[i], b, region);
	}
	return n_different;
}

static uint64_t count_all(const struct profile *profile)
{
	uint64_t n_instructions = 0;

	for (size_t i = 0; i < profile->n_regions; i++)
		n_instructions += profile_region_executions(&profile->regions[i]);
	return n_instructions;
}

static void release(struct outcome *outcome)
{
	free(outcome->printed);
	free(outcome->blocks);
	profile_deinit(&outcome->profile);
}

/* Runs the program translated. Returns the number of differences. */
static size_t run_and_compare(const struct outcome *step, const char *const *argv, const char *function,
			      enum extra extra, uint32_t traces_seed)
{
	static const char *const names[] = {"counts", "transfers", "order", [WITH_ADDRESSES] = "addresses",
					    "transfers and addresses"};
	struct outcome outcome = {0};
	size_t n_different;

	run(argv, function, ENGINE_TRANSLATE, extra, traces_seed, &outcome);
	n_different = compare(step, &outcome);
	n_different += extra & WITH_ORDER && !outcome.order;
	n_different += extra & WITH_ADDRESSES && !outcome.addresses && step->addresses;
	if (n_different)
		printf("  in the run for %s%s\n", names[extra], traces_seed ? ", with traces" : "");
	release(&outcome);
	return n_different;
}

int main(int argc, char **argv)
{
	const char *const *program = (const char *const *)argv + 1;
	struct outcome alone = {0}, step = {0}, translate = {0};
	uint64_t most = UINT64_MAX, n_instructions;
	const char *function = NULL;
	uint32_t traces_seed = 1;
	bool steps = true, orders = true;
	size_t n_different, n_edges = 0;

	(void)argc;
	for (; program[0] && program[1] && strncmp(program[0], "--", 2) == 0; program += 2) {
		if (strcmp(program[0], "--function") == 0)
			function = program[1];
		else if (strcmp(program[0], "--step") == 0)
			steps = strcmp(program[1], "no") != 0;
		else if (strcmp(program[0], "--order") == 0)
			orders = strcmp(program[1], "no") != 0;
		else if (strcmp(program[0], "--traces") == 0)
			traces_seed = (uint32_t)strtoul(program[1], NULL, 10);
		else
			most = strtoull(program[1], NULL, 10);
	}
	if (!program[0])
		return 2;
	run(program, function, ENGINE_TRANSLATE, COUNTS_ONLY, 0, &translate);
	n_instructions = count_all(&translate.profile);
	if (n_instructions > most) {
		release(&translate);
		return SKIPPED;
	}
	run(program, function, steps ? ENGINE_STEP : ENGINE_TRANSLATE,
	    orders ? WITH_EDGES | WITH_ADDRESSES : WITH_EDGES, TRACES_NEVER, &step);
	run_alone(program, &alone);
	n_different = compare_ends(&alone, &step) + compare(&step, &translate);
	n_different += run_and_compare(&step, program, function, WITH_EDGES, 0);
	if (traces_seed) {
		n_different += run_and_compare(&step, program, function, COUNTS_ONLY, traces_seed);
		n_different += run_and_compare(&step, program, function,
					       orders ? WITH_EDGES | WITH_ADDRESSES : WITH_EDGES, traces_seed);
	}
	for (size_t i = 0; orders && i < (traces_seed ? 2 : 1); i++) {
		n_different += run_and_compare(&step, program, function, WITH_ORDER, i ? traces_seed : 0);
		n_different += run_and_compare(&step, program, function, WITH_ADDRESSES, i ? traces_seed : 0);
	}
	for (size_t i = 0; i < step.profile.n_regions; i++)
		n_edges += step.profile.regions[i].edges.n_rows;
	printf("%s: %" PRIu64 " instructions, %zu edges, %s counted: %zu differences\n", program[0], n_instructions,
	       n_edges, translate.profile.engine, n_different);
	release(&alone);
	release(&step);
	release(&translate);
	return n_different != 0;
}
