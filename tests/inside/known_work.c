/* Work of known duration: chains of N * 100 dependent additions, one cycle each. Prints the ticks of a call twice:
 * measured around many calls without a scope, and as a scope inside it reports them. Both are means of alternating
 * batches. */
#include <itrace/scopes.h>

#include <stdio.h>
#include <stdlib.h>

#define BATCH_CALLS 200
#define BATCHES 401

static unsigned long n_blocks;

static __attribute__((noinline)) void chain(void)
{
	unsigned long sum = 1, one = 1, i;

	for (i = 0; i < n_blocks; i++)
		__asm__ __volatile__(".rept 100\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(one));
}

static __attribute__((noinline)) void scoped(void)
{
	PA_SCOPE();
	chain();
}

static __attribute__((noinline)) void bare(void)
{
	chain();
}

static int64_t batch(void (*call)(void))
{
	uint64_t begin = itrace_ticks_();
	int i;

	for (i = 0; i < BATCH_CALLS; i++)
		call();
	return (int64_t)(itrace_ticks_() - begin);
}

int main(int argc, char **argv)
{
	static int64_t outside[BATCHES], inside[BATCHES];
	int i;

	n_blocks = argc > 1 ? strtoul(argv[1], NULL, 10) : 10;
	for (i = 0; i < BATCHES; i++) {
		struct itrace_scope_record_ *record;
		int64_t before;

		outside[i] = batch(bare);
		scoped();
		record = &itrace_scope_thread_->records[0];
		before = record->self;
		batch(scoped);
		inside[i] = record->self - before;
	}
	printf("%.3f %.3f\n", itrace_trimmed_mean_(outside, BATCHES, BATCHES / 4) / BATCH_CALLS,
	       itrace_trimmed_mean_(inside, BATCHES, BATCHES / 4) / BATCH_CALLS);
	return 0;
}
