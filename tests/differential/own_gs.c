/* Sets the base of GS and accesses memory relative to it, as emulators of Windows do: with all forms of addresses, in
 * calls, jumps and comparisons, in several threads, and with a fault that a handler repairs:
 *
 *     own_gs [THREADS [ROUNDS]]
 */
#include <asm/prctl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { N_WORDS = 64 };

static uint64_t n_rounds = 200, *unmapped;

__attribute__((naked)) static uint64_t called(void)
{
	__asm__("lea 1(%rdi), %rax; ret");
}

static void set_gs(const void *base)
{
	if (syscall(SYS_arch_prctl, ARCH_SET_GS, base) != 0)
		exit(1);
}

static uint64_t get_gs(void)
{
	uint64_t base = 0;

	syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
	return base;
}

/* Each instruction uses GS. */
static uint64_t use(uint64_t index, uint64_t sum)
{
	uint64_t base = 8, high = index;

	__asm__ volatile(
		"mov %%gs:0x10, %%rdx; add %%rdx, %0; add %%gs:(%1), %0; add %%gs:8(%1, %2, 8), %0\n"
		"mov %%gs:16(, %2, 8), %%r11; add %%r11, %0; mov %0, %%gs:0x20; lock incq %%gs:0x28\n"
		"mov $1, %%r11d; mov %%gs:8(%%r11, %2, 4), %%r8d; mov %%r11, %%gs:0x30; xor %%r8, %0\n"
		"movdqu %%gs:(%1), %%xmm0; movdqu %%xmm0, %%gs:0x100\n"
		"mov %0, %%rdi; lea -128(%%rsp), %%rsp; call *%%gs:0x1f8; mov %%rax, %0\n"
		"pushq %%gs:0x18; pop %%rdx; pushq $7; popq %%gs:0x38; lea 128(%%rsp), %%rsp; add %%rdx, %0\n"
		"cmpq $0, %%gs:0x28; je 1f; inc %0; 1: setc %%gs:0x40; movzbl %%gs:0x40, %%edx; add %%rdx, %0\n"
		: "+r"(sum), "+r"(base), "+r"(high)
		:
		: "rax", "rdx", "rdi", "r8", "r11", "xmm0", "memory", "cc");
	return sum;
}

__attribute__((noinline)) static void *work(void *seed)
{
	uint64_t words[N_WORDS] = {0}, sum = 0;

	for (size_t i = 0; i < N_WORDS; i++)
		words[i] = i * (uintptr_t)seed;
	words[N_WORDS - 1] = (uintptr_t)called;
	set_gs(words);
	for (uint64_t i = 0; i < n_rounds; i++)
		sum = use(i % 4, sum);
	sum += get_gs() == (uintptr_t)words;
	set_gs(NULL);
	return (void *)(uintptr_t)sum;
}

static void repair(int signal, siginfo_t *info, void *context)
{
	ucontext_t *state = context;

	(void)signal;
	printf("fault at word %td, R11 %lld\n", (uint64_t *)info->si_addr - unmapped,
	       state->uc_mcontext.gregs[REG_R11]);
	mprotect(unmapped, 4096, PROT_READ | PROT_WRITE);
}

static void fault(void)
{
	struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
	uint64_t value;

	unmapped = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	set_gs(unmapped);
	__asm__ volatile("mov $77, %%r11d; mov %%gs:0x18, %0; add %%r11, %0" : "=&r"(value) : : "r11", "cc");
	set_gs(NULL);
	printf("%llu\n", (unsigned long long)value);
}

int main(int argc, char **argv)
{
	uintptr_t n_threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_t threads[8];
	void *sum;

	if (argc > 2)
		n_rounds = strtoul(argv[2], NULL, 10);
	printf("%llu\n", (unsigned long long)(uintptr_t)work((void *)3));
	for (uintptr_t i = 0; i < n_threads; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (uintptr_t i = 0; i < n_threads; i++) {
		pthread_join(threads[i], &sum);
		printf("%llu\n", (unsigned long long)(uintptr_t)sum);
	}
	fault();
	return 0;
}
