/* Runs a program from its entry point on in one of the translate engine's modes, and only counts blocks and adds up all addresses: what the
 * mode costs.
 *
 *     modes counts|edges|order|addresses PROGRAM [ARGUMENT ...]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"

struct sums {
	uint64_t n_blocks, addresses;
};

static void add_batch(void *context, struct profile *profile, const struct stream_batch *batch)
{
	struct stream_cursor cursor = stream_begin(profile, batch);
	bool has_words = stream_has_words(batch);
	uint64_t n_blocks = has_words ? batch->n_blocks : stream_n_blocks(profile, batch), addresses = 0;
	struct sums *sums = context;

	for (size_t i = 0; i < batch->n_words; i++)
		addresses += batch->words[i];
	while (has_words && stream_next_record(&cursor)) {
		n_blocks += cursor.n_blocks;
		for (const uint64_t *word = cursor.next_words; word < (const uint64_t *)(const void *)cursor.at; word++)
			addresses += *word;
	}
	sums->n_blocks += n_blocks;
	sums->addresses += addresses;
}

int main(int argc, char **argv)
{
	const struct engine_interrupts interrupts = {0};
	const char *mode = argc > 2 ? argv[1] : "";
	bool has_addresses = strcmp(mode, "addresses") == 0, has_order = strcmp(mode, "order") == 0;
	struct sums sums = {0};
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
