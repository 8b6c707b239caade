/* XBEGIN on a processor without transactions: a handler for SIGILL continues at the abort address. Under single-
 * stepping, every transaction aborts.
 *
 * ANSWER --function work
 *   region work: visits 1, cut 0, instructions >= 50
 *   ...
 *   stdout done 10
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

enum { XBEGIN_BYTES = 6 };

static void go_on_as_aborted(int signal, siginfo_t *info, void *context)
{
	greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	int32_t displacement;

	(void)signal;
	(void)info;
	__builtin_memcpy(&displacement, (const char *)*rip + 2, sizeof(displacement));
	*rip += XBEGIN_BYTES + displacement;
}

/* XBEGIN in bytes, as not every assembler knows it. */
__attribute__((noinline)) static int work(int n_rounds)
{
	int n_done = 0;

	for (int i = 0; i < n_rounds; i++) {
		__asm__ volatile(".byte 0xc7, 0xf8\n"
				 ".long 1f - 0f\n"
				 "0: add $1, %0\n"
				 ".byte 0x0f, 0x01, 0xd5\n" /* XEND */
				 "jmp 2f\n"
				 "1: add $1, %0\n"
				 "nop\n"
				 "2:\n"
				 : "+r"(n_done)
				 :
				 : "eax", "cc", "memory");
	}
	return n_done;
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_sigaction = go_on_as_aborted, .sa_flags = SA_SIGINFO};

	sigaction(SIGILL, &action, NULL);
	(void)argv;
	printf("done %d\n", work(10 * argc));
	return 0;
}
