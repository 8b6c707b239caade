/* Counters for each processor, incremented in restartable sequences (rseq(2)). If a preemption or a signal inside a
 * sequence loses an increment, the sum is too small.
 *
 *     rseq THREADS ROUNDS [signals]
 *
 * Each thread adds ROUNDS. Exit status 0 if the sum is right. A single thread stays on one processor, so that its
 * accesses are fixed. With `signals`, one arrives each millisecond. A thread without rseq, as on a kernel without it,
 * adds with LOCK.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>
#include <sys/time.h>

enum { CPUS_MAX = 8192, THREADS_MAX = 16 };

static uint64_t counts[CPUS_MAX];
static unsigned long n_rounds;

/* Adds one to the count of the current processor. Returns false if the abort handler ran and nothing was added. */
__attribute__((noinline)) static bool add_one(struct rseq *rseq)
{
	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n"
		     ".balign 32\n"
		     "3: .long 0, 0\n"
		     ".quad 1f, 2f - 1f, 4f\n"
		     ".popsection\n"
		     "lea 3b(%%rip), %%rax\n"
		     "mov %%rax, 8(%0)\n"    /* rseq_cs */
		     "1: mov 4(%0), %%eax\n" /* cpu_id */
		     "mov (%1, %%rax, 8), %%rcx\n"
		     "add $1, %%rcx\n"
		     "jc %l[aborted]\n" /* never */
		     "mov %%rcx, (%1, %%rax, 8)\n"
		     "2:\n"
		     ".pushsection __rseq_failure, \"ax\"\n"
		     ".byte 0x0f, 0xb9, 0x3d\n" /* UD1; the signature is a part of it */
		     ".long %c2\n"
		     "4: jmp %l[aborted]\n"
		     ".popsection\n"
		     :
		     : "r"(rseq), "r"(counts), "i"(RSEQ_SIG)
		     : "rax", "rcx", "memory", "cc"
		     : aborted);
	return true;
aborted:
	return false;
}

static void *add_all(void *unused)
{
	char *pointer = __builtin_thread_pointer();
	struct rseq *rseq = (struct rseq *)(void *)(pointer + __rseq_offset);

	for (unsigned long i = 0; i < n_rounds;) {
		if (__rseq_size)
			i += add_one(rseq);
		else
			i += __atomic_fetch_add(&counts[0], 1, __ATOMIC_RELAXED) != UINT64_MAX;
	}
	return unused;
}

static void stay_on_one_cpu(void)
{
	cpu_set_t allowed, one;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &allowed))
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void do_nothing(int signal)
{
	(void)signal;
}

int main(int argc, char **argv)
{
	int n_threads = argc > 2 ? atoi(argv[1]) : 0;
	pthread_t threads[THREADS_MAX];
	uint64_t sum = 0;

	if (n_threads < 1 || n_threads > THREADS_MAX)
		return 2;
	n_rounds = strtoul(argv[2], NULL, 10);
	if (argc > 3) {
		const struct itimerval every_ms = {.it_interval = {.tv_usec = 1000}, .it_value = {.tv_usec = 1000}};

		signal(SIGALRM, do_nothing);
		setitimer(ITIMER_REAL, &every_ms, NULL);
	}
	if (n_threads == 1)
		stay_on_one_cpu();
	for (int i = 1; i < n_threads; i++)
		if (pthread_create(&threads[i], NULL, add_all, NULL))
			return 3;
	add_all(NULL);
	for (int i = 1; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < CPUS_MAX; i++)
		sum += counts[i];
	printf("%lu of %lu\n", (unsigned long)sum, n_rounds * (unsigned long)n_threads);
	return sum != n_rounds * (unsigned long)n_threads;
}
