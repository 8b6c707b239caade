#include "timing/block/block.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "timing/child.h"

enum {
	PAGE_BYTES = 4096,
	MAX_PAGES = 4096, /* that one block may touch */
	SECONDS = 10,
	MAX_ATTEMPTS = 12,
	STEADY_PERMILLE = 10, /* the spread of a time that counts */
	AGREE_SHARE = 50,     /* two times agree within this share, 2 % */
	SIGNAL_STACK_BYTES = 1 << 16,
	/* BHive (IISWC 2019) uses this value for registers and memory. */
	SAME_POINTER = 0x2324000,
	/* Register i points to FIRST_PLACE + i * PLACE_BYTES, and i lines further, so that places do not alias. */
	FIRST_PLACE = 0x20000000,
	PLACE_BYTES = 0x1000000,
	LINE_BYTES = 64,
	N_OTHER_PAGES = 16,
	STACK_OFFSET = 2048, /* of RSP and RBP in their pages */
};
/* As doubles and as floats, these bits are numbers from 1 to 2. */
#define VECTOR_ELEMENT 0x3ff000003f800000

struct block_outcome {
	bool is_measured;
	struct clock_result result;
	int signal;	  /* that ended the block; 0: none */
	uint64_t address; /* SIGSEGV: that could not be mapped */
};

struct job {
	struct block_timer *timer;
	const struct block_to_time *block;
	const struct block_code *code;
};

/* For the signal handler, in the child only. */
static struct {
	struct block_outcome *outcome;
	int memory; /* of pages: one for each register and some more */
	bool has_same_pointers;
	unsigned int n_pages;
} faults;

/* All pages of one register's place are the same memory, so that the L1 cache holds it. Pages at other addresses, as
 * that of a sum of two registers, are other memory: Zen 4 loses time where one line has two virtual addresses. */
static bool map_page(uint64_t address)
{
	uint64_t page = address & ~(uint64_t)(PAGE_BYTES - 1), place = (page - FIRST_PLACE) / PLACE_BYTES;
	bool is_of_register = page >= FIRST_PLACE && place < INSN_N_GENERAL;
	uint64_t number = is_of_register ? place : INSN_N_GENERAL + page / PAGE_BYTES % N_OTHER_PAGES;
	off_t offset = faults.has_same_pointers ? 0 : (off_t)number;

	return faults.n_pages++ < MAX_PAGES &&
	       mmap((void *)(uintptr_t)page, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
		    faults.memory, offset * PAGE_BYTES) == (void *)(uintptr_t)page;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (signal == SIGSEGV && info->si_code == SEGV_MAPERR && map_page((uint64_t)(uintptr_t)info->si_addr))
		return;
	faults.outcome->signal = signal;
	faults.outcome->address = (uint64_t)(uintptr_t)info->si_addr;
	_exit(1);
}

static void catch_faults(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
	static uint8_t stack[SIGNAL_STACK_BYTES];
	const stack_t on = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

	sigaltstack(&on, NULL);
	for (size_t i = 0; i < ARRAY_LENGTH(signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* Makes the pages that blocks read and write, full of pointers. */
static bool make_memory(bool has_same_pointers)
{
	uint64_t words[PAGE_BYTES / sizeof(uint64_t)];

	faults.memory = memfd_create("block", MFD_CLOEXEC);
	for (uint64_t i = 0; i < INSN_N_GENERAL + N_OTHER_PAGES; i++) {
		for (size_t j = 0; j < ARRAY_LENGTH(words); j++)
			words[j] = has_same_pointers ? SAME_POINTER : FIRST_PLACE + i % INSN_N_GENERAL * PLACE_BYTES;
		if (write(faults.memory, words, sizeof(words)) != sizeof(words))
			return false;
	}
	return true;
}

static bool fill_context(bool has_same_pointers)
{
	struct block_context *context = mmap((void *)BLOCK_CONTEXT_ADDRESS, PAGE_BYTES, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (context != (void *)BLOCK_CONTEXT_ADDRESS)
		return false;
	for (uint64_t i = 0; i < INSN_N_GENERAL; i++)
		context->general[i] = i == GENERAL_RSP || i == GENERAL_RBP
					      ? FIRST_PLACE + i * PLACE_BYTES + STACK_OFFSET
				      : has_same_pointers ? SAME_POINTER
							  : FIRST_PLACE + i * (PLACE_BYTES + LINE_BYTES);
	return true;
}

/* Runs in the child. */
static void time_block(void *argument)
{
	struct job *job = argument;
	struct block_outcome *outcome = job->timer->outcome;
	struct error err = {0};
	struct timed_code_state state;
	struct clock_kernel kernel = {.state = &state, .n_copies = job->code->n_iterations};

	faults.outcome = outcome;
	faults.has_same_pointers = job->block->has_same_pointers;
	timed_code_state_init(&state, VECTOR_ELEMENT, sizeof(uint64_t));
	kernel.once = timed_code_add(&job->timer->code, &job->code->once);
	kernel.twice = timed_code_add(&job->timer->code, &job->code->twice);
	if (!clock_pin(&err) || !kernel.once || !kernel.twice || !make_memory(faults.has_same_pointers) ||
	    !fill_context(faults.has_same_pointers))
		return;
	catch_faults();
	kernel.twice(&state, 2);
	outcome->is_measured = clock_measure(&job->timer->clock, &kernel, &outcome->result);
}

bool block_timer_init(struct block_timer *timer, struct error *err)
{
	*timer = (struct block_timer){0};
	if (!timed_code_init(&timer->code, err))
		return false;
	timer->outcome = child_allocate_shared(sizeof(*timer->outcome), err);
	return timer->outcome && clock_init(&timer->clock, &timer->code, err);
}

void block_timer_deinit(struct block_timer *timer)
{
	if (timer->outcome)
		child_free_shared(timer->outcome, sizeof(*timer->outcome));
	if (timer->code.memory)
		timed_code_deinit(&timer->code);
}

static bool explain(const struct block_outcome *outcome, enum child_end end, struct error *err)
{
	if (end == CHILD_TOO_LONG)
		return error_set(err, ERROR_ENVIRONMENT, "it runs for more than %d s", SECONDS);
	switch (outcome->signal) {
	case 0:
		return error_set(err, ERROR_ENVIRONMENT,
				 "other programs or the virtual machine disturb the clock too much, or it is too long");
	case SIGFPE:
		return error_set(err, ERROR_ENVIRONMENT, "it divides by zero, or a quotient overflows");
	case SIGILL:
		return error_set(err, ERROR_ENVIRONMENT, "this CPU does not allow one of its instructions");
	case SIGSEGV:
		return error_set(err, ERROR_ENVIRONMENT, "it uses memory at 0x%llx, which cannot be mapped",
				 (unsigned long long)outcome->address);
	default:
		return error_set(err, ERROR_ENVIRONMENT, "it raises %s", strsignal(outcome->signal));
	}
}

/* Takes a time into *out. Returns whether it agrees with the smallest one before; has_time: there is one. */
static bool agrees(const struct clock_result *time, bool has_time, struct clock_result *out)
{
	int64_t difference = time->mcyc - out->mcyc;
	bool is_near = has_time && llabs(difference) <= out->mcyc / AGREE_SHARE;

	if (!has_time || difference < 0)
		*out = *time;
	return is_near && out->spread_permille <= STEADY_PERMILLE;
}

bool block_timer_measure(struct block_timer *timer, const struct block_to_time *block, struct clock_result *out,
			 struct error *err)
{
	struct block_code code;
	struct job job = {timer, block, &code};
	bool is_measured = false, is_done = !block_code_init(&code, block, err);
	enum child_end end = CHILD_FINISHED;

	/* A program on the other thread of the core may double times for seconds. Each child may be elsewhere. */
	for (int i = 0; i < MAX_ATTEMPTS && !is_done; i++) {
		*timer->outcome = (struct block_outcome){0};
		is_done = !child_run(time_block, &job, SECONDS, &end, err);
		if (timer->outcome->is_measured) {
			is_done |= agrees(&timer->outcome->result, is_measured, out);
			is_measured = true;
		} else {
			is_done |= timer->outcome->signal || end != CHILD_FINISHED;
		}
	}
	if (!is_measured && !err->kind)
		is_measured = explain(timer->outcome, end, err);
	block_code_deinit(&code);
	return is_measured;
}
