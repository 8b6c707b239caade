#include "runs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "engine/run.h"
#include "engine/task.h"
#include "engine/translate/consistency/map_files.h"

/* The settings of the current run, for code that the linker wraps around the engine's. */
static struct launch {
	struct outcome *outcome;
	const struct outcome *reference; /* gives the program its random bytes; or NULL */
	bool hides_vdso;
	struct flow_comparison *comparison; /* or NULL */
} launch;

bool __real_target_launch(struct target *target, const char *const *argv, bool disable_aslr, struct error *err);
bool __wrap_target_launch(struct target *target, const char *const *argv, bool disable_aslr, struct error *err);

bool __wrap_target_launch(struct target *target, const char *const *argv, bool disable_aslr, struct error *err)
{
	if (!__real_target_launch(target, argv, disable_aslr, err))
		return false;
	if (launch.reference)
		told_write_random(target->process->pid, launch.reference->random);
	told_read_random(target->process->pid, launch.outcome->random);
	if (launch.hides_vdso)
		told_hide_vdso(target->process->pid);
	return true;
}

void __real_map_files_filter_read(struct backend *backend, struct task *task, struct target_regs *after);
void __wrap_map_files_filter_read(struct backend *backend, struct task *task, struct target_regs *after);

/* Where the engine itself changes results. */
void __wrap_map_files_filter_read(struct backend *backend, struct task *task, struct target_regs *after)
{
	const struct engine *engine = task->thread->process->engine;
	struct stream_syscall call = {.thread = task->batch.thread,
				      .number = (int64_t)task->before.rax,
				      .arguments = {task->before.rdi, task->before.rsi, task->before.rdx},
				      .result = after->rax};

	__real_map_files_filter_read(backend, task, after);
	if (!launch.comparison || !launch.comparison->same)
		return;
	call.result = flow_make_same(launch.comparison, engine->profile, &call);
	if (call.result == after->rax)
		return;
	after->rax = call.result;
	thread_set_regs(task->thread, after);
}

const char *engine_name(enum engine_kind engine)
{
	return engine == ENGINE_STEP ? "step" : "translate";
}

static void prepare(const struct settings *settings)
{
	if (lseek(STDIN_FILENO, 0, SEEK_SET) < 0)
		clearerr(stdin);
	if (settings->before && system(settings->before) != 0) {
		fprintf(stderr, "divergence: this failed: %s\n", settings->before);
		exit(2);
	}
}

static char *read_all(FILE *file, size_t *n_bytes)
{
	struct stat status;
	char *bytes;

	if (fstat(fileno(file), &status) < 0)
		abort();
	bytes = xcalloc(1, (size_t)status.st_size + 1);
	*n_bytes = (size_t)pread(fileno(file), bytes, (size_t)status.st_size, 0);
	return bytes;
}

/* Runs the program to its end and captures its standard output and error. */
void run_execute(const struct settings *settings, const struct other *how, const struct trace_stream *stream,
		 struct outcome *outcome)
{
	struct interrupts interrupts = {0};
	const struct trace_plan plan = {.argv = settings->argv,
					.disable_aslr = true,
					.engine = how->engine,
					.traces_seed = how->traces_seed,
					.stream = stream,
					.whole_program = true};
	int own_out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), own_err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	struct error err = {0};
	FILE *output;
	bool ok;

	if (!stream)
		launch = (struct launch){0};
	prepare(settings);
	fflush(stdout);
	output = flow_open_temporary();
	if (dup2(fileno(output), STDOUT_FILENO) < 0 || dup2(fileno(output), STDERR_FILENO) < 0)
		abort();
	*outcome = (struct outcome){0};
	launch.outcome = outcome;
	ok = engine_run(&plan, &interrupts, &outcome->profile, &err);
	dup2(own_out, STDOUT_FILENO);
	dup2(own_err, STDERR_FILENO);
	close(own_out);
	close(own_err);
	if (!ok) {
		fprintf(stderr, "divergence: %s\n", err.text);
		exit(2);
	}
	outcome->printed = read_all(output, &outcome->n_printed);
	fclose(output);
}

void outcome_deinit(struct outcome *outcome)
{
	profile_deinit(&outcome->profile);
	free(outcome->printed);
	*outcome = (struct outcome){0};
}

static void on_recorded_batch(void *context, struct profile *profile, const struct stream_batch *batch)
{
	flow_record(context, profile, batch);
}

static void on_recorded_call(void *context, struct profile *profile, const struct stream_syscall *call)
{
	flow_record_told(context, profile, call);
}

void run_record(const struct settings *settings, bool hides_vdso, struct reference *reference)
{
	const struct trace_stream stream = {.wants_addresses = true,
					    .on_batch = on_recorded_batch,
					    .on_syscall = on_recorded_call,
					    .context = &reference->flow};

	const struct other how = {.engine = settings->reference, .traces_seed = TRACES_NEVER};

	*reference = (struct reference){.hides_vdso = hides_vdso};
	launch = (struct launch){.hides_vdso = hides_vdso};
	run_execute(settings, &how, &stream, &reference->outcome);
}

static void on_compared_batch(void *context, struct profile *profile, const struct stream_batch *batch)
{
	flow_compare(context, profile, batch);
}

static void on_compared_call(void *context, struct profile *profile, const struct stream_syscall *call)
{
	flow_compare_told(context, profile, call);
}

void run_compare(const struct settings *settings, const struct other *other, struct reference *reference,
		 struct flow_comparison *comparison, struct outcome *outcome)
{
	const struct trace_stream stream = {.wants_addresses = true,
					    .on_batch = on_compared_batch,
					    .on_syscall = on_compared_call,
					    .context = comparison};

	comparison->recorded = &reference->flow;
	flow_rewind(comparison->recorded);
	comparison->same = other->same;
	launch = (struct launch){.reference = other->same & TOLD_RANDOM ? &reference->outcome : NULL,
				 .hides_vdso = other->same & TOLD_TIME,
				 .comparison = comparison};
	run_execute(settings, other, &stream, outcome);
	flow_compare_ends(comparison, &outcome->profile);
}

bool outcome_is_like(const struct outcome *a, const struct outcome *b)
{
	const struct profile *one = &a->profile, *other = &b->profile;

	return one->exited == other->exited && one->exit_status == other->exit_status && one->signal == other->signal &&
	       a->n_printed == b->n_printed && memcmp(a->printed, b->printed, a->n_printed) == 0;
}

bool run_is_like(const struct settings *settings, const struct other *other, struct reference *reference)
{
	struct flow_comparison comparison = {.source = source_create()};
	struct outcome outcome;
	bool is_alike;

	run_compare(settings, other, reference, &comparison, &outcome);
	is_alike = !comparison.parting.is_found && outcome_is_like(&reference->outcome, &outcome);
	source_destroy(comparison.source);
	flow_comparison_deinit(&comparison);
	outcome_deinit(&outcome);
	return is_alike;
}

void reference_deinit(struct reference *reference)
{
	flow_deinit(&reference->flow);
	outcome_deinit(&reference->outcome);
}
