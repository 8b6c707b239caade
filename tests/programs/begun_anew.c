/* A region that is one system call, which Linux restarts. A signal without a handler interrupts it, then one with a
 * handler ends it.
 *
 * ANSWER --all --start begun_anew+{+call} --stop begun_anew+{+called}
 *   region begun_anew+{+call}..begun_anew+{+called}: visits >= 1, cut 0
 *   stdout 1 call, 1 alarm
 *
 * In a program that handles SIGTRAP, which the call blocks.
 * ANSWER --all --start begun_anew+{+call} --stop begun_anew+{+called}
 *   args handled
 *   region begun_anew+{+call}..begun_anew+{+called}: visits >= 1, cut 0
 *   stdout 1 call, 1 alarm, 1 trap
 */
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/time.h>

static volatile int alarms, traps;

static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
}

static void on_trap(int signal)
{
	(void)signal;
	traps++;
}

__attribute__((noinline)) static void wait_for(const sigset_t *mask)
{
	enum { MASK_BYTES = 8 };
	long number = SYS_rt_sigsuspend;

	__asm__ volatile(".globl call, called\n"
			 "call:\n\t"
			 "syscall\n"
			 "called:\n\t"
			 "nop\n\t"
			 "nop"
			 : "+a"(number)
			 : "D"(mask), "S"(MASK_BYTES)
			 : "rcx", "r11", "memory");
}

int main(int argc, char **argv)
{
	const struct itimerval soon = {.it_value.tv_usec = 50000};
	sigset_t all, but_some, before;
	int calls = 0;

	(void)argv;
	signal(SIGALRM, on_alarm);
	if (argc > 1)
		signal(SIGTRAP, on_trap);
	sigfillset(&all);
	but_some = all;
	sigdelset(&but_some, SIGALRM);
	sigdelset(&but_some, SIGURG);
	sigprocmask(SIG_BLOCK, &all, &before);
	raise(SIGURG);
	setitimer(ITIMER_REAL, &soon, NULL);
	for (; !alarms; calls++)
		wait_for(&but_some);
	sigprocmask(SIG_SETMASK, &before, NULL);
	printf("%d call, %d alarm", calls, alarms);
	if (argc > 1) {
		raise(SIGTRAP);
		printf(", %d trap", traps);
	}
	printf("\n");
	return 0;
}
