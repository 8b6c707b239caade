/* Runs a program from its entry point on in one of the translate engine's modes, and does nothing with what it hears: what the mode costs.
 *
 *     modes counts|edges|order|addresses PROGRAM [ARGUMENT ...]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"

static void add_batch(void *context, struct profile *profile, const struct stream_batch *batch)
{
	uint64_t *n_blocks = context;

	(void)profile;
	*n_blocks += batch->n_blocks;
}

int main(int argc, char **argv)
{
	const struct engine_interrupts interrupts = {0};
	const char *mode = argc > 2 ? argv[1] : "";
	bool has_addresses = strcmp(mode, "addresses") == 0, has_order = strcmp(mode, "order") == 0;
	uint64_t n_blocks = 0;
	const struct trace_stream stream = {.wants_addresses = has_addresses,
					    .on_batch = add_batch,
					    .context = &n_blocks};
	const struct trace_plan plan = {.argv = (const char *const *)argv + 2,
					.engine = ENGINE_TRANSLATE,
					.whole_program = true,
					.want_edges = strcmp(mode, "edges") == 0,
					.stream = has_addresses || has_order ? &stream : NULL};
	struct profile profile;
	struct error err;

	if (argc < 3 || (!plan.stream && !plan.want_edges && strcmp(mode, "counts") != 0))
		return 2;
	if (!engine_run(&plan, &interrupts, &profile, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	fprintf(stderr, "%zu instructions; %" PRIu64 " blocks, %zu of them different\n", profile.n_insns, n_blocks,
		profile.n_blocks);
	profile_deinit(&profile);
	return 0;
}
