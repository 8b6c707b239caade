#include "cause.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/array.h"
#include "base/units.h"
#include "cli/tracing/nondeterminism.h"
#include "profile/profile.h"

/* Writes the instruction that the recorded run executed at va. */
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

/* Writes the possible causes that `itrace --repeat` names. */
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

/* A replayed ID could reach another process or thread. */
static bool uses_ids(struct flow *recorded)
{
	static const int64_t users[] = {SYS_kill,    SYS_tgkill, SYS_tkill,	      SYS_wait4,     SYS_waitid,
					SYS_setpgid, SYS_ptrace, SYS_rt_sigqueueinfo, SYS_pidfd_open};

	for (size_t i = 0; i < ARRAY_LENGTH(users); i++)
		if (flow_has_call(recorded, users[i]))
			return true;
	return false;
}

/* Tries several runs, so that chance does not decide. */
static bool is_always_like(const struct settings *settings, const struct other *other, struct reference *reference)
{
	enum { TIMES = 3 };

	for (int i = 0; i < TIMES; i++)
		if (!run_is_like(settings, other, reference))
			return false;
	return true;
}

/* Removes every kind from tried->same that is not necessary. */
static void reduce(const struct settings *settings, struct other *tried, struct reference *reference)
{
	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++) {
		struct other less = *tried;

		less.same &= ~kinds[i].kind;
		/* A run recorded without the vDSO is compared without it. */
		if (reference->hides_vdso && kinds[i].kind == TOLD_TIME)
			continue;
		if (less.same && less.same != tried->same && is_always_like(settings, &less, reference))
			*tried = less;
	}
}

/* Behind `before`, unless there are none. */
static void write_kinds(int some, const char *before)
{
	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
		if (some & kinds[i].kind) {
			printf("%s%s", before, kinds[i].name);
			before = ", and ";
		}
}

/* Replays more and more kinds until the runs are equal. Returns the kinds that must be replayed, enum told_kind, or 0
 * if the runs never are equal. */
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

/* First of the kinds that differed, `told`, as others may help by chance. AT_RANDOM and the vDSO are not among what is
 * told. */
static int find_same_kinds(const struct settings *settings, const struct other *other, struct reference *reference,
			   int told)
{
	int possible = uses_ids(&reference->flow) ? ~TOLD_IDS : ~0;
	int same = find_same(settings, other, reference, told & possible & ~TOLD_TIME);
	struct reference without_vdso;

	if (!same)
		same = find_same(settings, other, reference, possible & ~TOLD_TIME);
	if (same)
		return same;
	run_record(settings, true, &without_vdso);
	same = find_same(settings, other, &without_vdso, possible);
	reference_deinit(&without_vdso);
	return same;
}

/* Returns true if the instruction at va was executed only in signal handlers. */
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
	bool recurs;
	int same;

	if (parting->is_found)
		write_place(settings, comparison, &reference->outcome);
	else
		printf("  they execute the same, but print something else or end differently\n");
	write_differences(settings, comparison);
	write_candidates(&reference->outcome);
	if (comparison->is_randomized) {
		puts("  cause: address-space randomization: the program is set-user-ID, or asked for it");
		return;
	}
	if (is_of_handlers(&reference->outcome.profile, parting->other_va) ||
	    is_of_handlers(&outcome->profile, parting->own_va)) {
		printf("  cause: when signals come: one of the runs goes on in a handler\n");
		return;
	}
	if (comparison->n_told && told_by_others(&comparison->last_told)) {
		printf("  cause: how far other processes are: %s told it last\n",
		       profile_syscall_name(comparison->last_told.number, false));
		return;
	}
	printf("  two runs of %s are %s\n", engine_name(settings->reference),
	       run_is_like(settings, &again, reference) ? "alike" : "not alike either: it is not the engine");
	recurs = !is_always_like(settings, other, reference);
	same = recurs ? find_same_kinds(settings, other, reference, comparison->kinds_told) : 0;
	write_kinds(same, "  cause: ");
	if (same)
		printf(": made the same, the runs are alike\n");
	else if (reference->flow.n_threads > 1)
		printf("  cause: the order of threads: there are %zu, and nothing else was found\n",
		       reference->flow.n_threads);
	else if (comparison->kinds_told & TOLD_IDS && uses_ids(&reference->flow))
		printf("  cause: process IDs, because nothing else was found; not tried, because the program might "
		       "signal other processes\n");
	else if (recurs)
		printf("  cause: not found\n");
	else {
		printf("  cause: it comes and goes");
		write_kinds(comparison->kinds_told, ", maybe with ");
		putchar('\n');
	}
}
