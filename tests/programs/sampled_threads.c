/* Two threads that compute, the second three times as long as the first; then the program dies by SIGTERM if told to.
 *
 *     sampled_threads MILLION_STEPS [die]
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

__attribute__((noinline)) static void compute(uint64_t steps)
{
	for (uint64_t i = 0; i < steps; i++)
		__asm__ volatile("imul %%rax, %%rax" ::: "rax");
}

__attribute__((noinline)) static void *run_short(void *steps)
{
	compute(*(uint64_t *)steps);
	return NULL;
}

__attribute__((noinline)) static void *run_long(void *steps)
{
	compute(3 * *(uint64_t *)steps);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t steps = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 1000000;
	pthread_t first, second;

	if (pthread_create(&first, NULL, run_short, &steps) || pthread_create(&second, NULL, run_long, &steps))
		return 1;
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	if (argc > 2)
		raise(SIGTERM);
	return 7;
}
