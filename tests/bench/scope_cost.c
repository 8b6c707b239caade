/* Measures PA_SCOPE and an empty pair of RDTSC with a number of threads: scope_cost THREADS
 *
 * Each thread alternates batches of both. Prints ns a pair, the mean of the middle half of the batches: RDTSC,
 * PA_SCOPE alone, and PA_SCOPE around work beyond what the work alone takes. */
#include <itrace/scopes.h>

#include <stdio.h>

#define BATCHES 301
#define BATCH_PAIRS 500
#define MAX_THREADS 64

struct result {
	double rdtsc, empty, around;
};

static pthread_barrier_t start;

static __attribute__((noinline)) void scope(void)
{
	PA_SCOPE();
}

static __attribute__((noinline)) void no_scope(void)
{
	__asm__ __volatile__("");
}

/* 500 additions, each of which needs the one before. */
static __attribute__((noinline)) void work(void)
{
	unsigned sum = 1;
	int i;

	for (i = 0; i < 5; i++)
		__asm__ __volatile__(".rept 100\n\taddl %0, %0\n\t.endr" : "+r"(sum)::"cc");
}

static __attribute__((noinline)) void scoped_work(void)
{
	PA_SCOPE();
	work();
}

static __attribute__((noinline)) void bare_work(void)
{
	work();
	__asm__ __volatile__("");
}

static __attribute__((noinline)) void read_twice(void)
{
	itrace_ticks_();
	itrace_ticks_();
}

static int64_t batch(void (*call)(void))
{
	uint64_t begin = itrace_ticks_();
	int i;

	for (i = 0; i < BATCH_PAIRS; i++)
		call();
	return (int64_t)(itrace_ticks_() - begin);
}

static double middle_mean(int64_t batches[BATCHES])
{
	return itrace_trimmed_mean_(batches, BATCHES, BATCHES / 4);
}

static void *measure(void *argument)
{
	int64_t none[BATCHES], rdtsc[BATCHES], empty[BATCHES], bare[BATCHES], scoped[BATCHES];
	struct result *result = (struct result *)argument;
	double ns = itrace_ns_per_tick_(20000000) / BATCH_PAIRS;
	int i;

	pthread_barrier_wait(&start);
	for (i = 0; i < BATCHES; i++) {
		none[i] = batch(no_scope);
		rdtsc[i] = batch(read_twice);
		empty[i] = batch(scope);
		bare[i] = batch(bare_work);
		scoped[i] = batch(scoped_work);
	}
	result->rdtsc = (middle_mean(rdtsc) - middle_mean(none)) * ns;
	result->empty = (middle_mean(empty) - middle_mean(none)) * ns;
	result->around = (middle_mean(scoped) - middle_mean(bare)) * ns;
	return NULL;
}

int main(int argc, char **argv)
{
	struct result results[MAX_THREADS], mean = {0, 0, 0};
	int i, n_threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t threads[MAX_THREADS];

	if (n_threads < 1 || n_threads > MAX_THREADS)
		return 2;
	pthread_barrier_init(&start, NULL, (unsigned)n_threads);
	for (i = 0; i < n_threads; i++)
		pthread_create(&threads[i], NULL, measure, &results[i]);
	for (i = 0; i < n_threads; i++) {
		pthread_join(threads[i], NULL);
		mean.rdtsc += results[i].rdtsc / n_threads;
		mean.empty += results[i].empty / n_threads;
		mean.around += results[i].around / n_threads;
	}
	printf("%.2f %.2f %.2f\n", mean.rdtsc, mean.empty, mean.around);
	return 0;
}
