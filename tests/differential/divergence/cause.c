#include "cause.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/array.h"
#include "base/units.h"
#include "cli/tracing/nondeterminism.h"
#include "profile/syscall_name.h"

/* The instruction of the run that was recorded at an address. */
static void write_recorded(struct profile *profile, struct source *source, uint64_t va)
{
	for (uint32_t i = 0; i < profile->n_insns; i++)
		if (profile->insns[i].va == va) {
			flow_write_insn(stdout, profile, source, i);
			return;
		}
	printf("the thread's end\n");
}

static void write_place(const struct settings *settings, const struct flow_comparison *comparison,
			struct outcome *reference)
{
	const struct flow_place *place = &comparison->parting;
	char *lines = xstrdup(place->lines), *rest = lines;

	printf("  they part after %s instructions", units_count(place->at).text);
	if (comparison->own.n_threads > 1)
		printf(" of thread %u", place->thread);
	printf(":\n");
	if (place->at)
		printf("    last in common  %s\n", strsep(&rest, "\n"));
	printf("    %-9s next  ", engine_name(settings->reference));
	write_recorded(&reference->profile, comparison->source, place->other_va);
	printf("    compared  next  %s\n", rest && rest[0] ? strsep(&rest, "\n") : "the thread's end");
	free(lines);
}

static void write_differences(const struct settings *settings, const struct flow_comparison *comparison)
{
	const struct flow_place *access = &comparison->access;

	if (access->is_found)
		printf("  memory accessed before that first differs after %s instructions of thread %u: 0x%" PRIx64
		       " and, compared, 0x%" PRIx64 "\n    %s",
		       units_count(access->at).text, access->thread, access->other_va, access->own_va, access->lines);
	if (comparison->n_told)
		printf("  %s system calls told something else before that, first:\n",
		       units_count(comparison->n_told_all).text);
	for (size_t i = 0; i < comparison->n_told; i++)
		told_print(stdout, &comparison->told[i][0], &comparison->told[i][1], engine_name(settings->reference),
			   "compared");
}

static bool all_differ(const void *context, const char *region)
{
	(void)context;
	(void)region;
	return true;
}

/* As `itrace --repeat` names what may differ. */
static void write_candidates(const struct outcome *reference)
{
	struct nondeterminism all = {0};

	for (uint32_t i = 0; i < reference->profile.n_regions; i++)
		if (reference->profile.regions[i].handlers_of == PROFILE_NONE)
			nondeterminism_add(&all, &reference->profile, i);
	printf("  --repeat says: ");
	nondeterminism_write(&all, stdout, all_differ, NULL);
	nondeterminism_deinit(&all);
}

static const struct {
	int kind; /* enum told_kind */
	const char *name;
} kinds[] = {
	{TOLD_RANDOM, "random numbers"}, {TOLD_FILES, "inodes or times of files"},
	{TOLD_TIME, "the time"},	 {TOLD_PROC, "what is read of /proc"},
	{TOLD_IDS, "process IDs"},
};

/* IDs that others are told could hit someone else. */
static bool uses_ids(struct flow *recorded)
{
	static const int64_t users[] = {SYS_kill,    SYS_tgkill, SYS_tkill,	      SYS_wait4,     SYS_waitid,
					SYS_setpgid, SYS_ptrace, SYS_rt_sigqueueinfo, SYS_pidfd_open};

	for (size_t i = 0; i < ARRAY_LENGTH(users); i++)
		if (flow_has_call(recorded, users[i]))
			return true;
	return false;
}

/* Not by chance. */
static bool is_always_like(const struct settings *settings, const struct other *other, struct reference *reference)
{
	enum { TIMES = 3 };

	for (int i = 0; i < TIMES; i++)
		if (!run_is_like(settings, other, reference))
			return false;
	return true;
}

/* Leaves of what was made the same only what must be. */
static void reduce(const struct settings *settings, struct other *tried, struct reference *reference)
{
	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
		struct other less = *tried;

		less.same &= ~kinds[i].kind;
		/* What was recorded without the vDSO is compared so. */
		if (reference->hides_vdso && kinds[i].kind == TOLD_TIME)
			continue;
		if (less.same != tried->same && is_always_like(settings, &less, reference))
			*tried = less;
	}
}

static void write_cause(int same)
{
	const char *separator = "  cause: ";

	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
		if (same & kinds[i].kind) {
			printf("%s%s", separator, kinds[i].name);
			separator = ", and ";
		}
	printf(": made the same, the runs are alike\n");
}

/* Makes more and more the same, until the runs are alike. Returns what must be the same, enum told_kind; 0: they never are. */
static int find_same(const struct settings *settings, const struct other *other, struct reference *reference,
		     int possible)
{
	struct other tried = *other;

	tried.same = reference->hides_vdso ? TOLD_TIME : 0;
	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
		if (!(kinds[i].kind & possible))
			continue;
		tried.same |= kinds[i].kind;
		if (!is_always_like(settings, &tried, reference))
			continue;
		reduce(settings, &tried, reference);
		return tried.same;
	}
	return 0;
}

static int find_same_kinds(const struct settings *settings, const struct other *other, struct reference *reference)
{
	int possible = uses_ids(&reference->flow) ? ~TOLD_IDS : ~0;
	int same = find_same(settings, other, reference, possible & ~TOLD_TIME);
	struct reference without_vdso;

	if (same)
		return same;
	run_record(settings, true, &without_vdso);
	same = find_same(settings, other, &without_vdso, possible);
	reference_deinit(&without_vdso);
	return same;
}

/* Whether what is at va was executed in signal handlers only. */
static bool is_of_handlers(const struct profile *profile, uint64_t va)
{
	bool is_in_handler = false;

	for (size_t i = 0; i < profile->n_regions; i++) {
		const struct profile_region *region = &profile->regions[i];

		for (size_t k = 0; k < region->n_counts; k++) {
			if (profile->insns[k].va != va || !region->executions[k])
				continue;
			if (region->handlers_of == PROFILE_NONE)
				return false;
			is_in_handler = true;
		}
	}
	return is_in_handler;
}

void cause_explain(const struct settings *settings, const struct other *other, struct reference *reference,
		   const struct flow_comparison *comparison, const struct outcome *outcome)
{
	const struct other again = {.engine = settings->reference, .traces_seed = TRACES_NEVER};
	const struct flow_place *parting = &comparison->parting;
	int same;

	if (parting->is_found)
		write_place(settings, comparison, &reference->outcome);
	else
		printf("  they execute the same, but print something else or end differently\n");
	write_differences(settings, comparison);
	write_candidates(&reference->outcome);
	if (comparison->is_randomized) {
		printf("  cause: address-space randomization, which a set-user-ID program has all the same, or asked for\n");
		return;
	}
	if (is_of_handlers(&reference->outcome.profile, parting->other_va) ||
	    is_of_handlers(&outcome->profile, parting->own_va)) {
		printf("  cause: when signals come: one of the runs goes on in a handler\n");
		return;
	}
	printf("  two runs of %s are %s\n", engine_name(settings->reference),
	       run_is_like(settings, &again, reference) ? "alike" : "not alike either: it is not the engine");
	same = find_same_kinds(settings, other, reference);
	if (same)
		write_cause(same);
	else if (reference->flow.n_threads > 1)
		printf("  cause: the order of threads: there are %zu, and nothing else was found\n",
		       reference->flow.n_threads);
	else if (comparison->n_told && told_by_others(&comparison->last_told))
		printf("  cause: how far other processes are: %s told it last, and nothing else was found\n",
		       syscall_name(comparison->last_told.number, false));
	else if (comparison->kinds_told & TOLD_IDS && uses_ids(&reference->flow))
		printf("  cause: process IDs, as nothing else was found; not tried, as the program might signal others\n");
	else
		printf("  cause: not found\n");
}
