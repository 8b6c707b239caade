#include "cli/tracing/causes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"

static const struct {
	const char *name; /* of a system call, or the mnemonic of an instruction */
	enum cause cause;
} tellers[] = {
	{"clock_gettime", CAUSE_CLOCK},
	{"gettimeofday", CAUSE_CLOCK},
	{"time", CAUSE_CLOCK},
	{"times", CAUSE_CLOCK},
	{"getrusage", CAUSE_CLOCK},
	{"timer_gettime", CAUSE_CLOCK},
	{"timerfd_gettime", CAUSE_CLOCK},
	{"getitimer", CAUSE_CLOCK},
	{"sysinfo", CAUSE_CLOCK},
	{"RDTSC", CAUSE_CLOCK},
	{"RDTSCP", CAUSE_CLOCK},
	{"getrandom", CAUSE_RANDOM},
	{"RDRAND", CAUSE_RANDOM},
	{"RDSEED", CAUSE_RANDOM},
	{"getpid", CAUSE_IDS},
	{"getppid", CAUSE_IDS},
	{"gettid", CAUSE_IDS},
	{"set_tid_address", CAUSE_IDS},
	{"clone", CAUSE_IDS},
	{"clone3", CAUSE_IDS},
	{"fork", CAUSE_IDS},
	{"vfork", CAUSE_IDS},
	{"stat", CAUSE_FILES},
	{"lstat", CAUSE_FILES},
	{"fstat", CAUSE_FILES},
	{"newfstatat", CAUSE_FILES},
	{"statx", CAUSE_FILES},
	{"statfs", CAUSE_FILES},
	{"fstatfs", CAUSE_FILES},
	{"getcpu", CAUSE_PROCESSOR},
	{"CPUID", CAUSE_PROCESSOR}, /* the APIC ID */
	{"RDPID", CAUSE_PROCESSOR},
	{"read", CAUSE_INPUT},
	{"readv", CAUSE_INPUT},
	{"pread64", CAUSE_INPUT},
	{"recvfrom", CAUSE_INPUT},
	{"recvmsg", CAUSE_INPUT},
	{"getdents64", CAUSE_INPUT},
	{"poll", CAUSE_INPUT},
	{"ppoll", CAUSE_INPUT},
	{"select", CAUSE_INPUT},
	{"pselect6", CAUSE_INPUT},
	{"epoll_wait", CAUSE_INPUT},
	{"epoll_pwait", CAUSE_INPUT},
	{"accept", CAUSE_INPUT},
	{"accept4", CAUSE_INPUT},
	{"wait4", CAUSE_INPUT},
	{"waitid", CAUSE_INPUT},
};

void causes_deinit(struct causes *causes)
{
	for (size_t i = 0; i < causes->n_found; i++) {
		free(causes->found[i].region);
		free(causes->found[i].by);
	}
	free(causes->found);
	*causes = (struct causes){0};
}

static void add(struct causes *causes, const char *region, enum cause cause, const char *by)
{
	for (size_t i = 0; i < causes->n_found; i++) {
		const struct cause_found *found = &causes->found[i];

		if (found->cause == cause && strcmp(found->by, by) == 0 && strcmp(found->region, region) == 0)
			return;
	}
	*ARRAY_ADD(causes, found) = (struct cause_found){xstrdup(region), cause, xstrdup(by)};
}

static void add_teller(struct causes *causes, const char *region, const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(tellers); i++)
		if (strcmp(tellers[i].name, name) == 0)
			add(causes, region, tellers[i].cause, name);
}

static void add_insns(struct causes *causes, const struct profile *profile, const struct profile_region *region)
{
	for (size_t i = 0; i < region->n_counts; i++) {
		const struct profile_insn *insn = &profile->insns[i];

		if (!region->executions[i])
			continue;
		add_teller(causes, region->name, profile->forms[insn->form].form.mnemonic);
		/* Nearly all of what it does is telling the time (vdso(7)). */
		if (insn->module != PROFILE_NONE && strcmp(profile->modules[insn->module].path, "[vdso]") == 0)
			add(causes, region->name, CAUSE_CLOCK, "the vDSO");
	}
}

static void add_threads(struct causes *causes, const struct profile *profile, const struct profile_region *region)
{
	uint64_t n_threads = 0;
	char *by;

	for (size_t i = 0; i < region->n_shares; i++)
		n_threads += profile->threads[region->shares[i].thread].n_threads;
	if (n_threads <= 1)
		return;
	by = xasprintf("%s of them", units_count(n_threads).text);
	add(causes, region->name, CAUSE_THREADS, by);
	free(by);
}

void causes_add(struct causes *causes, const struct profile *profile, uint32_t index)
{
	const struct profile_region *region = &profile->regions[index];

	add_threads(causes, profile, region);
	add_insns(causes, profile, region);
	for (size_t i = 0; i < region->n_syscalls; i++)
		add_teller(causes, region->name, region->syscalls[i].name);
	for (size_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].handlers_of == index && profile->regions[i].visits)
			add(causes, region->name, CAUSE_SIGNALS, "handlers ran");
}

/* False when there is none of that cause. */
static bool write_cause(const struct causes *causes, FILE *out, enum cause cause, bool is_first,
			bool (*differs)(const void *context, const char *region), const void *context)
{
	static const char *const texts[N_CAUSES] = {
		[CAUSE_THREADS] = "the order in which threads run",
		[CAUSE_SIGNALS] = "when signals come",
		[CAUSE_CLOCK] = "the time",
		[CAUSE_RANDOM] = "random numbers",
		[CAUSE_IDS] = "process IDs",
		[CAUSE_FILES] = "inodes, times and sizes of files",
		[CAUSE_PROCESSOR] = "which processor it runs on",
		[CAUSE_INPUT] = "what is read or waited for",
	};
	size_t n_written = 0;

	for (size_t i = 0; i < causes->n_found; i++) {
		const struct cause_found *found = &causes->found[i];
		bool is_known = false;

		if (found->cause != cause || !differs(context, found->region))
			continue;
		for (size_t k = 0; k < i; k++)
			is_known |= causes->found[k].cause == cause && strcmp(causes->found[k].by, found->by) == 0 &&
				    differs(context, causes->found[k].region);
		if (is_known)
			continue;
		if (n_written++ == 0)
			fprintf(out, "%s %s (", is_first ? "" : ",", texts[cause]);
		else
			fputs(", ", out);
		fputs(found->by, out);
	}
	if (n_written)
		fputc(')', out);
	return n_written;
}

void causes_write(const struct causes *causes, FILE *out, bool (*differs)(const void *context, const char *region),
		  const void *context)
{
	bool any = false;

	fputs("what may differ there from run to run:", out);
	for (int cause = 0; cause < N_CAUSES; cause++)
		any |= write_cause(causes, out, (enum cause)cause, !any, differs, context);
	fputs(any ? "\n"
		  : " nothing that itrace sees there: neither threads, signals, the time, random numbers nor input; but data "
		    "from before may\n",
	      out);
}
