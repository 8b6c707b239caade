/* The signals that a program sees, each kind in a region of its own: signalling CASE
 *
 * Prints what it saw, which is the same in every run, with itrace and without: tests/processes/signals.py. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <itrace/markers.h>

enum { STACK_BYTES = 1 << 16, PAGE_BYTES = 4096 };

static volatile sig_atomic_t n_caught;
static volatile sig_atomic_t order[64];
static siginfo_t last;
static char *page;

static void note(int what)
{
	order[n_caught] = what;
	n_caught++;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	last = *info;
	note(number);
}

static void catch_with(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

static sigset_t set_of(int first, int second)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, first);
	sigaddset(&set, second);
	return set;
}

static void alarm_in(long microseconds)
{
	const struct itimerval timer = {.it_value = {.tv_usec = microseconds}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Again and again: a slow program may not be where it is to be interrupted yet. Stopped, it says whether there was one.
 * */
static void alarm_each(long microseconds)
{
	const struct timeval interval = {.tv_usec = microseconds};

	n_caught = 0;
	setitimer(ITIMER_REAL, &(struct itimerval){.it_value = interval, .it_interval = interval}, NULL);
}

static void print_alarms(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	printf(", alarms: %d\n", n_caught > 0);
	n_caught = 0;
}

static void print_order(const char *title)
{
	printf("%s:", title);
	for (int i = 0; i < n_caught; i++)
		printf(" %d", (int)order[i]);
	puts("");
	n_caught = 0;
}

/* A fault handled on an alternate stack, which a second fault in the handler stays on. */
static char *stack;
static volatile sig_atomic_t n_on_stack;

static void on_stack_fault(int number, siginfo_t *info, void *context)
{
	const char *here = (const char *)&number;

	(void)context;
	n_on_stack += here >= stack && here < stack + STACK_BYTES;
	note((int)((char *)info->si_addr - page));
	if (info->si_addr == page) {
		mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE);
		*(volatile char *)(page + PAGE_BYTES) = 1;
	} else {
		mprotect(page + PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_WRITE);
	}
}

static void alternate_stack(void)
{
	stack_t ours = {.ss_size = STACK_BYTES}, now;

	stack = malloc(STACK_BYTES);
	ours.ss_sp = stack;
	sigaltstack(&ours, NULL);
	catch_with(SIGSEGV, on_stack_fault, SA_ONSTACK | SA_NODEFER);
	*(volatile char *)page = 1;
	sigaltstack(NULL, &now);
	printf("on the stack: %d, afterwards: %d\n", (int)n_on_stack, now.ss_flags);
	print_order("faults");
}

/* Sends itself another one, which comes at once, and its own one again, which comes at once only with SA_NODEFER. */
static void on_outer(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	note(number);
	if (n_caught < 8) {
		raise(SIGUSR2);
		raise(number);
	}
	note(-number);
}

static void nested(void)
{
	struct sigaction action = {.sa_sigaction = on_outer, .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};

	catch_with(SIGUSR2, on_signal, 0);
	catch_with(SIGUSR1, on_outer, 0);
	raise(SIGUSR1);
	print_order("deferred");
	catch_with(SIGHUP, on_outer, SA_NODEFER);
	raise(SIGHUP);
	print_order("not deferred");
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGWINCH, &action, NULL);
	raise(SIGWINCH);
	raise(SIGWINCH); /* has its default action now: nothing */
	print_order("with a mask, and once");
}

static void restarted(void)
{
	struct timespec left = {0}, long_time = {.tv_sec = 30};
	int fds[2], result;
	char byte = 0;

	if (pipe(fds) < 0)
		exit(1);
	catch_with(SIGALRM, on_signal, 0);
	alarm_each(20000);
	result = (int)read(fds[0], &byte, 1);
	printf("read: %d %s", result, strerror(errno));
	print_alarms();
	alarm_each(20000);
	result = nanosleep(&long_time, &left);
	printf("nanosleep: %d %s, left: %d", result, strerror(errno), left.tv_sec >= 20 && left.tv_sec < 30);
	print_alarms();
	catch_with(SIGALRM, on_signal, SA_RESTART);
	alarm_each(20000);
	result = poll(&(struct pollfd){.fd = fds[0], .events = POLLIN}, 1, 30000);
	printf("poll: %d %s", result, strerror(errno));
	print_alarms();
	if (fork() == 0) {
		usleep(300000);
		_exit(write(fds[1], "x", 1) != 1);
	}
	alarm_each(20000);
	result = (int)read(fds[0], &byte, 1);
	printf("read, restarted: %d %c", result, byte);
	print_alarms();
	wait(NULL);
}

static void queued(void)
{
	sigset_t set = set_of(SIGRTMIN + 1, SIGRTMIN + 2), all;
	struct timespec none = {0};
	siginfo_t info;

	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 4; i++) {
		sigqueue(getpid(), SIGRTMIN + 2, (union sigval){.sival_int = i});
		sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 100 + i});
		kill(getpid(), SIGUSR1); /* of these there is one at most */
	}
	for (int number; (number = sigtimedwait(&set, &info, &none)) > 0;)
		printf("%d: code %d value %d from us %d\n", number, info.si_code,
		       number == SIGUSR1 ? 0 : info.si_value.sival_int, info.si_pid == getpid());
	catch_with(SIGRTMIN + 1, on_signal, 0);
	for (int i = 0; i < 3; i++)
		sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = i});
	sigpending(&all);
	printf("pending: %d\n", sigismember(&all, SIGRTMIN + 1));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("last value %d\n", last.si_value.sival_int);
	print_order("caught");
}

/* DIV and UD2, two bytes each, which the handler steps over. */
extern const char faulting_divide[], faulting_opcode[];

static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	uintptr_t rip = (uintptr_t)registers[REG_RIP];

	printf("%d: code %d, errno %d, at rip %d, at page + %d\n", number, info->si_code, info->si_errno,
	       (uintptr_t)info->si_addr == rip,
	       number == SIGSEGV || number == SIGBUS ? (int)((char *)info->si_addr - page) : 0);
	if (rip == (uintptr_t)faulting_divide || rip == (uintptr_t)faulting_opcode)
		registers[REG_RIP] += 2;
	else if (number == SIGBUS || info->si_code == SEGV_MAPERR)
		mmap(page + 2 * PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		     -1, 0);
	else
		mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE);
}

static void on_child(int number, siginfo_t *info, void *context)
{
	(void)context;
	printf("%d: code %d status %d\n", number, info->si_code, info->si_status);
}

static void information(void)
{
	int file = memfd_create("empty", 0);

	catch_with(SIGSEGV, on_fault, 0);
	catch_with(SIGBUS, on_fault, 0);
	catch_with(SIGFPE, on_fault, 0);
	catch_with(SIGILL, on_fault, 0);
	*(volatile char *)(page + 12) = 1;
	munmap(page + 2 * PAGE_BYTES, PAGE_BYTES);
	*(volatile char *)(page + 2 * PAGE_BYTES + 34) = 1;
	mmap(page + 2 * PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
	*(volatile char *)(page + 2 * PAGE_BYTES + 56) = 1;
	__asm__ volatile(".globl faulting_divide\nfaulting_divide: div %%ecx" : : "a"(1), "d"(0), "c"(0) : "cc");
	__asm__ volatile(".globl faulting_opcode\nfaulting_opcode: ud2");
	catch_with(SIGUSR1, on_signal, 0);
	raise(SIGUSR1);
	printf("raise: code %d from us %d\n", last.si_code, last.si_pid == getpid());
	kill(getpid(), SIGUSR1);
	printf("kill: code %d from us %d\n", last.si_code, last.si_pid == getpid());
	catch_with(SIGCHLD, on_child, SA_RESTART);
	if (fork() == 0)
		_exit(3);
	wait(NULL);
}

static void timers(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
				 .sigev_signo = SIGRTMIN,
				 .sigev_value = {.sival_int = 77}};
	const struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}, .it_interval = {.tv_nsec = 1000000}};
	const struct itimerval often = {.it_value = {.tv_usec = 1000}, .it_interval = {.tv_usec = 1000}};
	const struct itimerval never = {0};
	static const int kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
	static const int numbers[] = {SIGALRM, SIGVTALRM, SIGPROF};
	timer_t timer;

	for (int i = 0; i < 3; i++) {
		catch_with(numbers[i], on_signal, SA_RESTART);
		setitimer(kinds[i], &often, NULL);
		while (n_caught < 3)
			;
		setitimer(kinds[i], &never, NULL);
		printf("%d: code %d\n", order[2] == numbers[i], last.si_code);
		n_caught = 0;
	}
	catch_with(SIGRTMIN, on_signal, SA_RESTART);
	event._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0 || timer_settime(timer, 0, &soon, NULL) < 0)
		exit(1);
	while (n_caught < 3)
		;
	timer_delete(timer);
	printf("timer: code %d value %d\n", last.si_code, last.si_value.sival_int);
}

static void waited_for(void)
{
	sigset_t set = set_of(SIGUSR1, SIGUSR2), empty;
	struct signalfd_siginfo info = {0};
	siginfo_t found;
	int fds[2], fd;
	char byte;

	if (pipe(fds) < 0)
		exit(1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, 0);
	if (fork() == 0) {
		usleep(20000);
		kill(getppid(), SIGUSR2);
		/* Not before the first one was taken. */
		if (read(fds[0], &byte, 1) == 1)
			sigqueue(getppid(), SIGUSR1, (union sigval){.sival_int = 9});
		_exit(0);
	}
	printf("sigwaitinfo: %d ", sigwaitinfo(&set, &found));
	printf("code %d\n", found.si_code);
	if (write(fds[1], "x", 1) != 1)
		exit(1);
	printf("signalfd: %zd ", read(fd, &info, sizeof(info)) / (ssize_t)sizeof(info));
	printf("%u code %d value %d\n", info.ssi_signo, info.ssi_code, info.ssi_int);
	wait(NULL);
	catch_with(SIGUSR1, on_signal, 0);
	raise(SIGUSR1);
	printf("blocked: %d\n", (int)n_caught);
	sigemptyset(&empty);
	sigsuspend(&empty);
	printf("sigsuspend: %s\n", strerror(errno));
	print_order("caught");
}

/* Registers that a handler changes are the program's afterwards, and so is the mask. */
static void on_edit(int number, siginfo_t *info, void *context)
{
	ucontext_t *ours = context;

	(void)info;
	note(number);
	ours->uc_mcontext.gregs[REG_RIP] += 2;
	ours->uc_mcontext.gregs[REG_RAX] = 0x1234;
	ours->uc_mcontext.gregs[REG_R15] ^= 0xff;
	ours->uc_mcontext.gregs[REG_EFL] |= 1;
	sigaddset(&ours->uc_sigmask, SIGUSR2);
}

static void edited(void)
{
	uint64_t rax = 0, r15 = 0x5500, sum = 0;
	uint8_t carry = 0;
	sigset_t mask;

	catch_with(SIGILL, on_edit, 0);
	for (int i = 0; i < 30; i++) {
		r15 = 0x5500;
		__asm__ volatile("mov %1, %%r15\n clc\n ud2\n setc %2\n mov %%r15, %1"
				 : "=a"(rax), "+r"(r15), "=q"(carry)
				 :
				 : "r15", "cc");
		sum += rax + r15 + carry;
	}
	sigprocmask(SIG_BLOCK, NULL, &mask);
	printf("rax %#llx r15 %#llx carry %d sum %llu blocked %d, %d times\n", (unsigned long long)rax,
	       (unsigned long long)r15, carry, (unsigned long long)sum, sigismember(&mask, SIGUSR2), (int)n_caught);
}

static volatile sig_atomic_t n_in_thread[4];
static __thread int own_number;
static pthread_barrier_t all_are_there;

static void on_thread_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	n_in_thread[own_number]++;
}

static void *wait_in_thread(void *argument)
{
	sigset_t set = set_of(SIGUSR2, SIGUSR2);

	own_number = (int)(intptr_t)argument;
	if (own_number == 2)
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	pthread_barrier_wait(&all_are_there);
	while (n_in_thread[own_number] < 20 + 20 * (own_number == 2))
		sched_yield();
	return NULL;
}

static void to_threads(void)
{
	sigset_t set = set_of(SIGUSR2, SIGUSR2);
	pthread_t threads[4];

	catch_with(SIGUSR1, on_thread_signal, SA_RESTART);
	catch_with(SIGUSR2, on_thread_signal, SA_RESTART);
	pthread_barrier_init(&all_are_there, NULL, 4);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (intptr_t i = 1; i < 4; i++)
		pthread_create(&threads[i], NULL, wait_in_thread, (void *)i);
	pthread_barrier_wait(&all_are_there);
	for (int round = 0; round < 20; round++) {
		for (int i = 1; i < 4; i++) {
			int before = n_in_thread[i];

			pthread_kill(threads[i], SIGUSR1);
			while (n_in_thread[i] == before)
				sched_yield();
		}
	}
	/* Only one lets it through. */
	for (int round = 0; round < 20; round++) {
		int before = n_in_thread[2];

		kill(getpid(), SIGUSR2);
		while (n_in_thread[2] == before)
			sched_yield();
	}
	for (int i = 1; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d %d\n", (int)n_in_thread[0], (int)n_in_thread[1], (int)n_in_thread[2], (int)n_in_thread[3]);
}

static void masks(void)
{
	const struct timespec long_time = {.tv_sec = 30};
	sigset_t set = set_of(SIGUSR1, SIGALRM), empty, after;
	int result;

	catch_with(SIGUSR1, on_signal, 0);
	catch_with(SIGALRM, on_signal, 0);
	sigemptyset(&empty);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < 3; i++) {
		raise(SIGUSR1);
		printf("before: %d, ", (int)n_caught);
		result = ppoll(NULL, 0, &long_time, &empty);
		printf("ppoll: %d %s\n", result, strerror(errno));
		alarm_in(5000);
		result = pselect(0, NULL, NULL, NULL, &long_time, &empty);
		printf("pselect: %d %s\n", result, strerror(errno));
	}
	sigprocmask(SIG_BLOCK, NULL, &after);
	printf("still blocked: %d %d\n", sigismember(&after, SIGUSR1), sigismember(&after, SIGALRM));
	print_order("caught");
}

static sigjmp_buf back;

static void on_jump(int number, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	note(number);
	siglongjmp(back, 5);
}

static void jumped(void)
{
	stack_t ours = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES};
	volatile uint64_t sum = 0;
	volatile int round = 0;

	sigaltstack(&ours, NULL);
	catch_with(SIGSEGV, on_jump, SA_ONSTACK);
	catch_with(SIGALRM, on_jump, 0);
	for (; round < 40; round = round + 1) {
		int came = sigsetjmp(back, 1);

		sum = sum + (uint64_t)came;
		if (came)
			continue;
		if (round % 2) {
			*(volatile char *)page = 1;
		} else {
			alarm_in(1000);
			for (;;)
				sum = sum + 0;
		}
	}
	printf("sum %llu after %d\n", (unsigned long long)sum, (int)n_caught);
}

static void print_change(pid_t child)
{
	sigset_t set = set_of(SIGCHLD, SIGCHLD);
	siginfo_t info;
	int status;

	sigwaitinfo(&set, &info);
	printf("code %d status %d: ", info.si_code, info.si_status);
	if (waitpid(child, &status, WUNTRACED | WCONTINUED) != child)
		puts("nothing");
	else if (WIFSTOPPED(status))
		printf("stopped by %d\n", WSTOPSIG(status));
	else if (WIFCONTINUED(status))
		puts("continued");
	else
		printf("killed by %d\n", WTERMSIG(status));
}

static void jobs(void)
{
	static const int stops[] = {SIGSTOP, SIGTSTP, SIGTTIN};
	sigset_t set = set_of(SIGCHLD, SIGCHLD);
	int fds[2];
	pid_t child;
	char byte;

	if (pipe(fds) < 0)
		exit(1);
	catch_with(SIGCONT, on_signal, SA_RESTART);
	catch_with(SIGCHLD, on_signal, SA_RESTART);
	sigprocmask(SIG_BLOCK, &set, NULL);
	child = fork();
	if (child == 0) {
		close(fds[1]);
		while (read(fds[0], &byte, 1) < 0)
			;
		_exit(n_caught);
	}
	setpgid(child, child);
	for (int i = 0; i < 3; i++) {
		kill(child, stops[i]);
		print_change(child);
		kill(child, SIGCONT);
		print_change(child);
	}
	kill(child, SIGSTOP);
	print_change(child);
	kill(child, SIGKILL);
	print_change(child);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{"stack", alternate_stack},   {"nested", nested}, {"restarted", restarted},   {"queued", queued},
		{"information", information}, {"timers", timers}, {"waited_for", waited_for}, {"edited", edited},
		{"threads", to_threads},      {"masks", masks},	  {"jumped", jumped},	      {"jobs", jobs},
	};

	setvbuf(stdout, NULL, _IONBF, 0);
	page = mmap(NULL, 3 * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
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
