/* Many threads, and a timer that is faster than itrace, each in a region of its own: crowd CASE
 *
 * Prints what is the same in every run, with itrace and without: tests/processes/signals.py. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <itrace/markers.h>

static pthread_barrier_t barrier;
static volatile sig_atomic_t n_alarms;

static void *meet(void *arg)
{
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return arg;
}

static void *just_return(void *arg)
{
	return arg;
}

static void start(pthread_t *thread, void *(*run)(void *), uintptr_t arg)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1 << 16);
	if (pthread_create(thread, &attributes, run, (void *)arg) != 0)
		abort();
	pthread_attr_destroy(&attributes);
}

static uintptr_t join(pthread_t thread)
{
	void *result;

	pthread_join(thread, &result);
	return (uintptr_t)result;
}

/* All threads are there before one goes on. */
static void at_once(void)
{
	enum { N_THREADS = 200 };
	pthread_t threads[N_THREADS];
	uintptr_t sum = 0;

	pthread_barrier_init(&barrier, NULL, N_THREADS);
	for (uintptr_t i = 0; i < N_THREADS; i++)
		start(&threads[i], meet, i);
	for (size_t i = 0; i < N_THREADS; i++)
		sum += join(threads[i]);
	printf("sum %lu\n", (unsigned long)sum);
}

static void in_turn(void)
{
	enum { N_THREADS = 200 };
	uintptr_t sum = 0;
	pthread_t thread;

	for (uintptr_t i = 0; i < N_THREADS; i++) {
		start(&thread, just_return, i);
		sum += join(thread);
	}
	printf("sum %lu\n", (unsigned long)sum);
}

static void *exit_with_7(void *arg)
{
	for (volatile int i = 0; i < 2000; i++)
		;
	syscall(SYS_exit_group, 7);
	return arg;
}

/* Threads race to end the process, at times while another one is inside clone. */
static void exits(void)
{
	enum { N_THREADS = 8, N_TIMES = 60 };
	int n_right = 0, status;
	pthread_t thread;

	for (int i = 0; i < N_TIMES; i++) {
		pid_t child = fork();

		for (uintptr_t j = 0; child == 0 && j < N_THREADS; j++)
			start(&thread, exit_with_7, j);
		if (child == 0)
			pause();
		n_right += waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7;
	}
	printf("right: %d\n", n_right);
}

static void on_alarm(int signal)
{
	(void)signal;
	n_alarms++;
}

/* Works until there were some alarms, and makes system calls. */
static void work(uint64_t rounds)
{
	int fds[2];
	char byte;

	if (pipe(fds) < 0)
		abort();
	for (volatile uint64_t i = 0; i < rounds || n_alarms < 20; i++)
		;
	for (int i = 0; i < 10; i++)
		if (write(fds[1], "x", 1) != 1 || read(fds[0], &byte, 1) != 1 || raise(0))
			abort();
	close(fds[0]);
	close(fds[1]);
}

static void alarms_on(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGPROF, &action, NULL);
}

/* Both kinds of timers, faster than itrace can deliver signals. */
static void timers(void)
{
	const struct itimerspec each = {{0, 20000}, {0, 20000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	timer_t timer;

	alarms_on();
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0 || timer_settime(timer, 0, &each, NULL) < 0)
		abort();
	work(2000);
	timer_delete(timer);
	n_alarms = 0;
	setitimer(ITIMER_REAL, &(struct itimerval){{0, 20}, {0, 20}}, NULL);
	work(2000);
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	printf("done\n");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"at_once", at_once}, {"in_turn", in_turn}, {"exits", exits}, {"timers", timers}};

	setvbuf(stdout, NULL, _IONBF, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, argv[1]) != 0)
			continue;
		PA_BEGIN("case");
		cases[i].run();
		PA_END("case");
		return 0;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		puts(cases[i].name);
	return argc > 1;
}
