/* Four threads at work at once, each in a function of its own: spin0(n) ... spin3(n) are 2 n + 2 instructions: one NOP,
 * n times DEC and JNZ, one RET.
 * "run" lets them end; "signals" sends them signals meanwhile, whose handlers are not part of it; "exit" and "exec" let
 * the first end
 * the program, or become another one, while the others go on for ever.
 *
 * ANSWER --function spin0 --function spin1 --function spin2 --function spin3
 *   args run
 *   region spin0: visits 2, cut 0, instructions 2004
 *   1000  DEC r32
 *   1000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   region spin1: visits 2, cut 0, instructions 4004
 *   2000  DEC r32
 *   2000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   region spin2: visits 2, cut 0, instructions 6004
 *   3000  DEC r32
 *   3000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   region spin3: visits 2, cut 0, instructions 8004
 *   4000  DEC r32
 *   4000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   stdout done
 *
 * ANSWER --all --function spin0 --function spin3
 *   args run
 *   region spin0: visits 2, cut 0, instructions 2004
 *   1000  DEC r32
 *   1000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   region spin3: visits 2, cut 0, instructions 8004
 *   4000  DEC r32
 *   4000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   stdout done
 *
 * ANSWER --function spin0 --function spin1 --function spin2 --function spin3
 *   args signals
 *   region spin0: visits 2, cut 0, instructions 2004
 *   1000  DEC r32
 *   1000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   region spin1: visits 2, cut 0, instructions 4004
 *   2000  DEC r32
 *   2000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   region spin2: visits 2, cut 0, instructions 6004
 *   3000  DEC r32
 *   3000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   region spin3: visits 2, cut 0, instructions 8004
 *   4000  DEC r32
 *   4000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   stdout done
 *
 * ANSWER --all --function spin0 --function spin1
 *   args exit
 *   exit 3
 *   region spin0: visits 2, cut 0, instructions 2004
 *   1000  DEC r32
 *   1000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   region spin1: visits 1, cut 1, instructions >= 1
 *   ...
 *
 * ANSWER --function spin0 --function spin1
 *   args exec
 *   region spin0: visits 2, cut 0, instructions 2004
 *   1000  DEC r32
 *   1000  JNZ rel8
 *      2  NOP
 *      2  RET
 *   region spin1: visits 1, cut 1, instructions >= 1
 *   ...
 *   stdout replaced
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N_THREADS = 4, N_TURNS = 500 };

#define SPIN(name)                                             \
	void name(unsigned n);                                 \
	__asm__(".globl " #name "\n"                           \
		".type " #name ", @function\n" #name ": nop\n" \
		"1:	dec %edi\n"                                \
		"	jnz 1b\n"                                    \
		"	ret\n"                                       \
		".size " #name ", . - " #name "\n")

SPIN(spin0);
SPIN(spin1);
SPIN(spin2);
SPIN(spin3);

static void (*const spins[N_THREADS])(unsigned) = {spin0, spin1, spin2, spin3};
static const char *what;
static pthread_barrier_t all_there;
static atomic_int n_running, n_spinning;
static volatile sig_atomic_t n_signals;

static void on_signal(int signal)
{
	(void)signal;
	n_signals++;
}

static void *work(void *argument)
{
	long i = (long)argument;
	bool ends_all = strcmp(what, "exit") == 0 || strcmp(what, "exec") == 0;

	pthread_barrier_wait(&all_there);
	if (ends_all && i > 0) {
		n_spinning++;
		spins[i](0);
	}
	while (ends_all && n_spinning < N_THREADS - 1)
		usleep(1000);
	if (ends_all)
		usleep(100000);
	/* Twice: the second time it comes to code that is known. */
	for (int round = 0; round < 2; round++)
		spins[i](N_TURNS * (unsigned)(i + 1));
	if (strcmp(what, "exit") == 0)
		_exit(3);
	if (strcmp(what, "exec") == 0)
		execl("/proc/self/exe", "threads_spin", "replaced", NULL);
	n_running--;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[N_THREADS];

	if (argc != 2)
		return 2;
	what = argv[1];
	if (strcmp(what, "replaced") == 0) {
		puts("replaced");
		return 0;
	}
	signal(SIGUSR1, on_signal);
	pthread_barrier_init(&all_there, NULL, N_THREADS + 1);
	n_running = N_THREADS;
	for (long i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	pthread_barrier_wait(&all_there);
	for (int i = 0; n_running && strcmp(what, "signals") == 0; i++) {
		pthread_kill(threads[i % N_THREADS], SIGUSR1);
		usleep(1000);
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	return 0;
}
