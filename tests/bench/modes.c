/* Runs a program from its entry point on in one of the translate engine's modes, and only counts blocks and adds up
 * addresses: what the
 * mode costs.
 *
 *     modes counts|edges|order|addresses|accesses PROGRAM [ARGUMENT ...]
 *
 * addresses: all words of the log are added up, as the program wrote them. accesses: the address of each access is made
 * from them, and added, as
 * many at a time as a log_reader decodes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/translate/log/log_reader.h"

struct sums {
	bool are_made;
	uint64_t n_blocks, addresses;
};

static uint64_t add_up(const uint64_t *words, size_t n_words)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n_words; i++)
		sum += words[i];
	return sum;
}

/* Adds up many values in independent sums. */
static uint64_t add_up_many(const uint64_t *words, size_t n_words)
{
	uint64_t first = 0, second = 0, third = 0, fourth = 0;
	size_t i = 0;

	for (; i + 4 <= n_words; i += 4) {
		first += words[i];
		second += words[i + 1];
		third += words[i + 2];
		fourth += words[i + 3];
	}
	return first + second + third + fourth + add_up(words + i, n_words - i);
}

static void add_records(struct sums *sums, const struct profile *profile, const struct stream_batch *batch)
{
	struct log_shapes *shapes = log_reader_shapes(batch->source);
	struct stream_cursor cursor = stream_begin(profile, batch);
	struct log_record record;

	while (log_reader_next_record(shapes, &cursor, &record)) {
		sums->n_blocks += shapes->shapes[record.shape].n_blocks;
		sums->addresses += add_up(record.logged, record.n_logged);
	}
}

static void add_decoded(struct sums *sums, const struct profile *profile, const struct stream_batch *batch)
{
	struct log_shapes *shapes = log_reader_shapes(batch->source);
	struct stream_cursor cursor = stream_begin(profile, batch);

	while (batch->source->refill(batch->source, &cursor)) {
		for (size_t i = 0; i < cursor.n_runs; i++)
			sums->n_blocks += cursor.runs[i].n_blocks;
		sums->addresses += add_up_many(shapes->chunk_addresses, shapes->n_chunk_addresses);
	}
}

static void add_batch(void *context, struct profile *profile, const struct stream_batch *batch)
{
	struct sums *sums = context;

	if (!batch->source) {
		sums->n_blocks += batch->n_blocks;
		sums->addresses += add_up(batch->addresses, batch->n_addresses);
	} else if (sums->are_made) {
		add_decoded(sums, profile, batch);
	} else {
		add_records(sums, profile, batch);
	}
}

int main(int argc, char **argv)
{
	struct interrupts interrupts = {0};
	const char *mode = argc > 2 ? argv[1] : "";
	bool are_made = strcmp(mode, "accesses") == 0, has_addresses = are_made || strcmp(mode, "addresses") == 0;
	bool has_order = strcmp(mode, "order") == 0;
	struct sums sums = {.are_made = are_made};
	uint64_t n_translated = 0;
	const struct trace_stream stream = {.wants_addresses = has_addresses, .on_batch = add_batch, .context = &sums};
	const struct trace_plan plan = {.argv = (const char *const *)argv + 2,
					.engine = ENGINE_TRANSLATE,
					.whole_program = true,
					.want_edges = strcmp(mode, "edges") == 0,
					.stream = has_addresses || has_order ? &stream : NULL,
					.n_translated = &n_translated};
	struct profile profile;
	struct error err;

	if (argc < 3 || (!plan.stream && !plan.want_edges && strcmp(mode, "counts") != 0))
		return 2;
	if (!engine_run(&plan, &interrupts, &profile, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	fprintf(stderr,
		"%zu instructions, %" PRIu64 " translated; %" PRIu64 " blocks; addresses sum up to %" PRIx64 "\n",
		profile.n_insns, n_translated, sums.n_blocks, sums.addresses);
	profile_deinit(&profile);
	return 0;
}
