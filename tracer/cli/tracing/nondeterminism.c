#include "cli/tracing/nondeterminism.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/units.h"

static const struct {
	const char *name; /* of a system call, or the mnemonic of an instruction */
	enum nondeterminism_kind kind;
} known[] = {
	{"clock_gettime", NONDETERMINISM_CLOCK},
	{"gettimeofday", NONDETERMINISM_CLOCK},
	{"time", NONDETERMINISM_CLOCK},
	{"times", NONDETERMINISM_CLOCK},
	{"getrusage", NONDETERMINISM_CLOCK},
	{"timer_gettime", NONDETERMINISM_CLOCK},
	{"timerfd_gettime", NONDETERMINISM_CLOCK},
	{"getitimer", NONDETERMINISM_CLOCK},
	{"sysinfo", NONDETERMINISM_CLOCK},
	{"RDTSC", NONDETERMINISM_CLOCK},
	{"RDTSCP", NONDETERMINISM_CLOCK},
	{"getrandom", NONDETERMINISM_RANDOM},
	{"RDRAND", NONDETERMINISM_RANDOM},
	{"RDSEED", NONDETERMINISM_RANDOM},
	{"getpid", NONDETERMINISM_IDS},
	{"getppid", NONDETERMINISM_IDS},
	{"gettid", NONDETERMINISM_IDS},
	{"set_tid_address", NONDETERMINISM_IDS},
	{"clone", NONDETERMINISM_IDS},
	{"clone3", NONDETERMINISM_IDS},
	{"fork", NONDETERMINISM_IDS},
	{"vfork", NONDETERMINISM_IDS},
	{"stat", NONDETERMINISM_FILES},
	{"lstat", NONDETERMINISM_FILES},
	{"fstat", NONDETERMINISM_FILES},
	{"newfstatat", NONDETERMINISM_FILES},
	{"statx", NONDETERMINISM_FILES},
	{"statfs", NONDETERMINISM_FILES},
	{"fstatfs", NONDETERMINISM_FILES},
	{"getcpu", NONDETERMINISM_PROCESSOR},
	{"CPUID", NONDETERMINISM_PROCESSOR}, /* the APIC ID */
	{"RDPID", NONDETERMINISM_PROCESSOR},
	{"read", NONDETERMINISM_INPUT},
	{"readv", NONDETERMINISM_INPUT},
	{"pread64", NONDETERMINISM_INPUT},
	{"recvfrom", NONDETERMINISM_INPUT},
	{"recvmsg", NONDETERMINISM_INPUT},
	{"getdents64", NONDETERMINISM_INPUT},
	{"poll", NONDETERMINISM_INPUT},
	{"ppoll", NONDETERMINISM_INPUT},
	{"select", NONDETERMINISM_INPUT},
	{"pselect6", NONDETERMINISM_INPUT},
	{"epoll_wait", NONDETERMINISM_INPUT},
	{"epoll_pwait", NONDETERMINISM_INPUT},
	{"accept", NONDETERMINISM_INPUT},
	{"accept4", NONDETERMINISM_INPUT},
	{"wait4", NONDETERMINISM_INPUT},
	{"waitid", NONDETERMINISM_INPUT},
};

void nondeterminism_deinit(struct nondeterminism *all)
{
	for (size_t i = 0; i < all->n_causes; i++) {
		free(all->causes[i].region);
		free(all->causes[i].evidence);
	}
	free(all->causes);
	*all = (struct nondeterminism){0};
}

static void add(struct nondeterminism *all, const char *region, enum nondeterminism_kind kind, const char *evidence)
{
	for (size_t i = 0; i < all->n_causes; i++) {
		const struct nondeterminism_cause *cause = &all->causes[i];

		if (cause->kind == kind && strcmp(cause->evidence, evidence) == 0 && strcmp(cause->region, region) == 0)
			return;
	}
	*ARRAY_ADD(all, causes) = (struct nondeterminism_cause){xstrdup(region), kind, xstrdup(evidence)};
}

static void add_if_known(struct nondeterminism *all, const char *region, const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
		if (strcmp(known[i].name, name) == 0)
			add(all, region, known[i].kind, name);
}

static void add_insns(struct nondeterminism *all, const struct profile *profile, const struct profile_region *region)
{
	for (size_t i = 0; i < region->n_counts; i++) {
		const struct profile_insn *insn = &profile->insns[i];

		if (!region->executions[i])
			continue;
		add_if_known(all, region->name, profile->forms[insn->form].form.mnemonic);
		/* Nearly all functions of the vDSO tell the time (vdso(7)). */
		if (insn->module != PROFILE_NONE && strcmp(profile->modules[insn->module].path, "[vdso]") == 0)
			add(all, region->name, NONDETERMINISM_CLOCK, "the vDSO");
	}
}

static void add_threads(struct nondeterminism *all, const struct profile *profile, const struct profile_region *region)
{
	uint64_t n_threads = 0;
	char *evidence;

	for (size_t i = 0; i < region->n_thread_totals; i++)
		n_threads += profile->threads[region->thread_totals[i].thread].n_threads;
	if (n_threads <= 1)
		return;
	evidence = xasprintf("%s of them", units_count(n_threads).text);
	add(all, region->name, NONDETERMINISM_THREADS, evidence);
	free(evidence);
}

void nondeterminism_add(struct nondeterminism *all, const struct profile *profile, uint32_t index)
{
	const struct profile_region *region = &profile->regions[index];

	add_threads(all, profile, region);
	add_insns(all, profile, region);
	for (size_t i = 0; i < region->n_syscalls; i++)
		add_if_known(all, region->name, region->syscalls[i].name);
	for (size_t i = 0; i < profile->n_regions; i++)
		if (profile->regions[i].handlers_of == index && profile->regions[i].visits)
			add(all, region->name, NONDETERMINISM_SIGNALS, "handlers ran");
}

/* Writes " the time (RDTSC, time)". False: no region that differs has a cause of this kind. */
static bool write_kind(const struct nondeterminism *all, FILE *out, enum nondeterminism_kind kind, bool is_first,
		       bool (*differs)(const void *context, const char *region), const void *context)
{
	static const char *const texts[N_NONDETERMINISM_KINDS] = {
		[NONDETERMINISM_THREADS] = "the order in which threads run",
		[NONDETERMINISM_SIGNALS] = "when signals come",
		[NONDETERMINISM_CLOCK] = "the time",
		[NONDETERMINISM_RANDOM] = "random numbers",
		[NONDETERMINISM_IDS] = "process IDs",
		[NONDETERMINISM_FILES] = "inodes, times and sizes of files",
		[NONDETERMINISM_PROCESSOR] = "the processor that it runs on",
		[NONDETERMINISM_INPUT] = "what is read or waited for",
	};
	size_t n_written = 0;

	for (size_t i = 0; i < all->n_causes; i++) {
		const struct nondeterminism_cause *cause = &all->causes[i];
		bool is_written = false;

		if (cause->kind != kind || !differs(context, cause->region))
			continue;
		for (size_t k = 0; k < i; k++)
			is_written |= all->causes[k].kind == kind &&
				      strcmp(all->causes[k].evidence, cause->evidence) == 0 &&
				      differs(context, all->causes[k].region);
		if (is_written)
			continue;
		if (n_written++ == 0)
			fprintf(out, "%s %s (", is_first ? "" : ",", texts[kind]);
		else
			fputs(", ", out);
		fputs(cause->evidence, out);
	}
	if (n_written)
		fputc(')', out);
	return n_written;
}

void nondeterminism_write(const struct nondeterminism *all, FILE *out,
			  bool (*differs)(const void *context, const char *region), const void *context)
{
	bool any = false;

	fputs("possible causes in these regions:", out);
	for (int kind = 0; kind < N_NONDETERMINISM_KINDS; kind++)
		any |= write_kind(all, out, (enum nondeterminism_kind)kind, !any, differs, context);
	fputs(any ? "\n"
		  : " none that itrace can see: they use no threads, signals, time, random numbers or input, but "
		    "data from before them may differ\n",
	      out);
}
