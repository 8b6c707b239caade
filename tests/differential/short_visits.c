/* Visits too short to build a trace in one of them must still lead to traces after many visits. The traced program,
 * this one with an argument, is killed when the log has a record with more than one block. Without traces there is no
 * such record.
 *
 *     short_visits
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "engine/engine.h"

enum { PATIENCE_S = 100 };

static struct interrupts interrupts;
static volatile unsigned sum;

__attribute__((noinline)) static void visit(void)
{
	for (unsigned i = 0; i < 1000; i++)
		if (i % 8)
			sum += i;
}

static void be_visited(void)
{
	alarm(PATIENCE_S);
	for (;;)
		visit();
}

static void look_for_traces(void *context, struct profile *profile, const struct stream_batch *batch)
{
	struct stream_cursor cursor = stream_begin(profile, batch);
	bool *found = context;

	if (*found || !batch->source)
		return;
	/* A run of several blocks. */
	while (stream_next(&cursor))
		*found |= cursor.n_blocks > 0;
	if (*found) {
		interrupts.signal = SIGTERM;
		interrupts.n_requests++;
	}
}

int main(int argc, char **argv)
{
	const char *const command[] = {argv[0], "visits", NULL}, *const functions[] = {"visit"};
	bool found = false;
	const struct trace_stream stream = {.on_batch = look_for_traces, .context = &found};
	const struct trace_plan plan = {.argv = command,
					.engine = ENGINE_TRANSLATE,
					.functions = functions,
					.n_functions = 1,
					.stream = &stream};
	struct profile profile;
	struct error err;

	if (argc > 1)
		be_visited();
	if (!engine_run(&plan, &interrupts, &profile, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("%u visits, %s\n", (unsigned)profile.regions[0].visits, found ? "traces" : "no traces");
	profile_deinit(&profile);
	return found ? 0 : 1;
}
