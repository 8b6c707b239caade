/* A stress test that checks its own results: storm THREADS [quiet]
 *
 * Each thread computes a checksum inside a marked region, gets queued real-time signals with numbers in order, and a
 * timer's
 * signal a thousand times a second; two of them play ping-pong through pipes; the main thread forks and executes
 * programs, all
 * until standard input ends. `quiet` is without timers and children. It then prints what was done, and what was lost or
 * wrong:
 * "storm: 0 wrong". */
#include <errno.h>
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <itrace/markers.h>

enum { MAX_THREADS = 64, ROUNDS = 200 };

struct worker {
	pthread_t thread;
	uint32_t checksum;
	uint64_t n_rounds;
	atomic_uint n_received; /* numbered signals */
	unsigned n_sent;
};

static struct worker workers[MAX_THREADS];
static unsigned n_workers;
static atomic_bool is_over;
static atomic_uint n_started, n_wrong, n_ticks;
static uint64_t n_children, n_pings;
static int pings[2], pongs[2];
static _Thread_local struct worker *own;

static void complain(const char *what)
{
	n_wrong++;
	/* A handler may come here. */
	if (write(STDERR_FILENO, what, strlen(what)) < 0)
		n_wrong++;
}

static uint32_t next(uint32_t checksum, uint32_t i)
{
	return checksum * 1664525u + 1013904223u + i;
}

static __attribute__((noinline)) uint32_t work(uint32_t checksum)
{
	PA_BEGIN("work");
	for (uint32_t i = 0; i < ROUNDS; i++)
		checksum = next(checksum, i);
	PA_END("work");
	return checksum;
}

static void on_number(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_code != SI_QUEUE || (unsigned)info->si_value.sival_int != own->n_received)
		complain("storm: a numbered signal is missing or out of order\n");
	own->n_received++;
}

static void on_tick(int signal)
{
	int saved = errno;

	(void)signal;
	n_ticks++;
	errno = saved;
}

static void *run(void *argument)
{
	own = argument;
	n_started++;
	while (!is_over) {
		own->checksum = work(own->checksum);
		own->n_rounds++;
		if (own->n_rounds % 16 == 0)
			usleep(500);
	}
	return NULL;
}

static void *answer(void *argument)
{
	uint64_t number;

	(void)argument;
	while (read(pings[0], &number, sizeof(number)) == sizeof(number))
		if (write(pongs[1], &number, sizeof(number)) != sizeof(number))
			complain("storm: a pong was not written\n");
	return NULL;
}

static void ping(void)
{
	uint64_t number = n_pings++, got = 0;

	if (write(pings[1], &number, sizeof(number)) != sizeof(number) ||
	    read(pongs[0], &got, sizeof(got)) != sizeof(got) || got != number)
		complain("storm: a ping was lost\n");
}

static void send_numbers(void)
{
	for (unsigned i = 0; i < n_workers; i++) {
		const union sigval value = {.sival_int = (int)workers[i].n_sent};

		/* The queue of a process is bounded. */
		if (workers[i].n_sent - workers[i].n_received < 8 &&
		    pthread_sigqueue(workers[i].thread, SIGRTMIN + 1, value) == 0)
			workers[i].n_sent++;
	}
}

static void start_child(void)
{
	char *const argv[] = {"true", NULL};
	extern char **environ;
	int status = -1;
	pid_t pid = -1;

	if (n_children % 2) {
		pid = fork();
		if (pid == 0)
			_exit(work(1) == 1);
	} else if (posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environ) != 0) {
		pid = -1;
	}
	n_children++;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "storm: child %llu, process %d, status %#x: %m\n", (unsigned long long)n_children,
			(int)pid, (unsigned)status);
		n_wrong++;
	}
}

static void sleep_a_while(void)
{
	const struct timespec while_ = {.tv_nsec = 3000000};
	struct timespec before, after;
	int64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &before);
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &while_, NULL) == EINTR)
		return;
	clock_gettime(CLOCK_MONOTONIC, &after);
	ns = (after.tv_sec - before.tv_sec) * 1000000000ll + after.tv_nsec - before.tv_nsec;
	if (ns < while_.tv_nsec)
		complain("storm: a sleep was too short\n");
}

static bool has_input_ended(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	char byte;

	return poll(&input, 1, 0) == 1 && read(STDIN_FILENO, &byte, 1) == 0;
}

static void check(const struct worker *worker)
{
	uint32_t checksum = 0;

	for (uint64_t n = 0; n < worker->n_rounds; n++)
		for (uint32_t i = 0; i < ROUNDS; i++)
			checksum = next(checksum, i);
	if (checksum != worker->checksum)
		complain("storm: a checksum is wrong\n");
	if (worker->n_sent != worker->n_received)
		complain("storm: a numbered signal was lost\n");
}

int main(int argc, char **argv)
{
	const struct itimerval tick = {.it_interval.tv_usec = 1000, .it_value.tv_usec = 1000};
	const struct sigaction on_numbers = {.sa_sigaction = on_number, .sa_flags = SA_SIGINFO | SA_RESTART};
	const struct sigaction on_ticks = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	bool quiet = argc > 2 && strcmp(argv[2], "quiet") == 0;
	uint64_t n_rounds = 0, n_signals = 0;
	pthread_t answerer;

	n_workers = argc > 1 ? (unsigned)atoi(argv[1]) : 8;
	if (n_workers < 1 || n_workers > MAX_THREADS || pipe(pings) < 0 || pipe(pongs) < 0)
		return 2;
	sigaction(SIGRTMIN + 1, &on_numbers, NULL);
	sigaction(SIGALRM, &on_ticks, NULL);
	if (pthread_create(&answerer, NULL, answer, NULL) != 0)
		return 2;
	for (unsigned i = 0; i < n_workers; i++)
		if (pthread_create(&workers[i].thread, NULL, run, &workers[i]) != 0)
			return 2;
	while (n_started < n_workers)
		usleep(1000);
	puts("ready");
	fflush(stdout);
	if (!quiet)
		setitimer(ITIMER_REAL, &tick, NULL);
	while (!has_input_ended()) {
		ping();
		send_numbers();
		sleep_a_while();
		if (!quiet)
			start_child();
	}
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	for (unsigned i = 0; i < n_workers; i++)
		for (int waited = 0; workers[i].n_received != workers[i].n_sent && waited < 5000; waited++)
			usleep(1000);
	is_over = true;
	close(pings[1]);
	pthread_join(answerer, NULL);
	for (unsigned i = 0; i < n_workers; i++) {
		pthread_join(workers[i].thread, NULL);
		check(&workers[i]);
		n_rounds += workers[i].n_rounds;
		n_signals += workers[i].n_received;
	}
	printf("storm: %u wrong; %llu rounds, %llu numbered signals, %u ticks, %llu children, %llu pings\n", n_wrong,
	       (unsigned long long)n_rounds, (unsigned long long)n_signals, n_ticks, (unsigned long long)n_children,
	       (unsigned long long)n_pings);
	return n_wrong ? 1 : 0;
}
