/* Fixed work that a timer's signal interrupts: signals MICROSECONDS. Region "work" must have equal counts for any
 * interval, because the handler's instructions are counted separately. Sorting calls through pointers and returns;
 * other parts use REP, system calls, and a register that translated code borrows and the handler must see unchanged. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <itrace/markers.h>

enum { N_ITEMS = 5000, N_BYTES = 3000 };

static volatile sig_atomic_t n_signals;
static int32_t items[N_ITEMS];
static char from[N_BYTES], to[N_BYTES];

/* R11 is constant in its loop, and flags stay live over jumps and calls. */
#define KEPT UINT64_C(0x1122334455667788)
uint64_t keep_r11(uint64_t n);
extern const char keep_r11_loop[], keep_r11_end[];

__asm__(".text\n"
	"keep_r11:\n"
	"	mov $0x1122334455667788, %r11\n"
	"	mov $1, %edx\n"
	"keep_r11_loop:\n"
	"	lea 1f(%rip), %rax\n"
	"	cmp $5, %rdi\n"
	"	jmp *%rax\n"
	"1:	ja 2f\n"
	"	jb 3f\n"
	"2:	lea 4f(%rip), %rax\n"
	"	call *%rax\n"
	"3:	dec %rdi\n"
	"	jnz keep_r11_loop\n"
	"	mov %r11, %rax\n"
	"	ret\n"
	"4:	test %edx, %edx\n"
	"	jns 5f\n"
	"	jz 5f\n"
	"5:	ret\n"
	"keep_r11_end:\n");

static volatile sig_atomic_t n_wrong;

static void on_alarm(int signal, siginfo_t *info, void *context)
{
	const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
	uintptr_t rip = (uintptr_t)registers[REG_RIP];

	(void)signal;
	(void)info;
	n_signals++;
	if (rip >= (uintptr_t)keep_r11_loop && rip < (uintptr_t)keep_r11_end && (uint64_t)registers[REG_R11] != KEPT)
		n_wrong++;
}

static int compare(const void *left, const void *right)
{
	const int32_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static uint64_t compare_bytes(void)
{
	const char *left = from, *right = to;
	size_t n = N_BYTES;

	__asm__ volatile("repe cmpsb" : "+c"(n), "+S"(left), "+D"(right) : : "memory", "cc");
	return n;
}

static void copy_bytes(void)
{
	const char *source = from;
	char *destination = to;
	size_t n = N_BYTES;

	__asm__ volatile("rep movsb" : "+c"(n), "+S"(source), "+D"(destination) : : "memory");
}

int main(int argc, char **argv)
{
	long interval_us = argc > 1 ? atol(argv[1]) : 0;
	struct itimerval timer = {.it_interval = {.tv_sec = interval_us / 1000000, .tv_usec = interval_us % 1000000}};
	struct sigaction action = {.sa_sigaction = on_alarm, .sa_flags = SA_SIGINFO | SA_RESTART};
	uint32_t random = 1;
	uint64_t sum = 0;

	timer.it_value = timer.it_interval;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	PA_BEGIN("work");
	for (int round = 0; round < 60; round++) {
		for (int i = 0; i < N_ITEMS; i++)
			items[i] = (int32_t)((random = random * 1664525 + 1013904223) >> 1);
		qsort(items, N_ITEMS, sizeof(*items), compare);
		n_wrong += keep_r11(100000) != KEPT;
		for (int i = 0; i < 300; i++) {
			copy_bytes();
			to[random % N_BYTES] = (char)i;
			sum += compare_bytes() + (getppid() > 0);
		}
	}
	PA_END("work");
	printf("%llu, %d wrong\n", (unsigned long long)sum, (int)n_wrong);
	return 0;
}
