/* Runs a program from its entry point on and listens to its stream, whose blocks it only counts: what the log costs.
 *
 *     stream [--addresses] PROGRAM [ARGUMENT ...]
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
	bool wants_addresses = argc > 1 && strcmp(argv[1], "--addresses") == 0;
	uint64_t n_blocks = 0;
	const struct trace_stream stream = {.wants_addresses = wants_addresses,
					    .on_batch = add_batch,
					    .context = &n_blocks};
	const struct trace_plan plan = {.argv = (const char *const *)argv + 1 + wants_addresses,
					.engine = ENGINE_TRANSLATE,
					.whole_program = true,
					.stream = &stream};
	struct profile profile;
	struct error err;

	if (!plan.argv[0])
		return 2;
	if (!engine_run(&plan, &interrupts, &profile, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	fprintf(stderr, "%" PRIu64 " blocks, %zu of them different\n", n_blocks, profile.n_blocks);
	profile_deinit(&profile);
	return 0;
}
