#include "sampler/sampler.h"

#include <assert.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "base/array.h"
#include "sampler/memory_map.h"
#include "sampler/perf.h"
#include "sampler/stops.h"
#include "target/target.h"

/* The longest time until itrace notices the end of an attached process or of the sampling duration. */
#define WATCH_NS 20000000

struct sampler {
	const struct sample_plan *plan;
	struct sampling *sampling;
	struct target target;
	struct memory_map map;
	struct perf *perf; /* NULL: samples by stops */
	struct stops stops;
	uint64_t begin_ns;
	uint64_t sample_cost_ns; /* of perf; 0: unknown */
	bool is_over;		 /* sampling has ended; the program may still run */
	bool has_timer;
	timer_t timer;
	clockid_t cpu_clock; /* of the process */
	bool has_cpu_clock;
	uint64_t begin_cpu_ns;
	struct sigaction former_action;
	sigset_t former_mask;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	return clock_gettime(clock, &now) == 0 ? (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec : 0;
}

/* The signal only interrupts the wait for the program. */
static void on_alarm(int signal)
{
	(void)signal;
}

static bool start_timer(struct sampler *sampler, struct error *err)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	sigset_t alarm;

	if (timer_create(CLOCK_MONOTONIC, &event, &sampler->timer) < 0)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot create a timer");
	sampler->has_timer = true;
	sigaction(SIGALRM, &action, &sampler->former_action);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm, &sampler->former_mask);
	return true;
}

static void end_timer(struct sampler *sampler)
{
	if (!sampler->has_timer)
		return;
	timer_delete(sampler->timer);
	sigprocmask(SIG_SETMASK, &sampler->former_mask, NULL);
	sigaction(SIGALRM, &sampler->former_action, NULL);
}

/* Repeats every period_ns, because an alarm just before the wait does not end the wait. */
static void set_timer(const struct sampler *sampler, uint64_t due_ns, uint64_t period_ns)
{
	struct itimerspec setting = {
		.it_value = {.tv_sec = (time_t)(due_ns / 1000000000u), .tv_nsec = (long)(due_ns % 1000000000u)},
		.it_interval = {.tv_sec = (time_t)(period_ns / 1000000000u),
				.tv_nsec = (long)(period_ns % 1000000000u)},
	};

	if (sampler->has_timer)
		timer_settime(sampler->timer, TIMER_ABSTIME, &setting, NULL);
}

static void add_series(struct sampler *sampler, double ratio)
{
	struct sampling_series *series = ARRAY_ADD(sampler->sampling, series);

	series->ratio = ratio;
	series->period_ns = (uint64_t)(ratio * (double)sampler->plan->period_ns + 0.5);
}

/* Sets the timer to the next read of the buffers, or to the end of sampling if that is earlier. */
static void set_perf_timer(const struct sampler *sampler, uint64_t now_ns)
{
	uint64_t drain_ns = perf_drain_interval_ns(sampler->perf), due_ns = now_ns + drain_ns;
	uint64_t end_ns = sampler->begin_ns + sampler->plan->duration_ns;

	if (sampler->plan->duration_ns && end_ns < due_ns)
		due_ns = end_ns;
	set_timer(sampler, due_ns, drain_ns);
}

static bool start_perf(struct sampler *sampler, const pid_t *tids, size_t n_tids, struct error *err)
{
	struct sampling *sampling = sampler->sampling;

	sampler->sample_cost_ns = perf_measure_cost();
	sampler->perf = perf_create(sampling, tids, n_tids, err);
	if (!sampler->perf)
		return false;
	sampling->method = "perf";
	if (!sampling->sees_kernel)
		sampling_note(
			sampling,
			"the kernel's own time is not sampled: this user may not (perf_event_paranoid is above 1)");
	set_perf_timer(sampler, sampler->begin_ns);
	return true;
}

static void start_stops(struct sampler *sampler, const struct error *refusal)
{
	struct sampling *sampling = sampler->sampling;

	sampling->method = "stops";
	sampling->sees_kernel = true;
	if (refusal->kind)
		sampling_note(sampling, "%s; the program is stopped for each sample instead", refusal->text);
	sampling_note(sampling, "samples by stops: kernel time is recognized only in system calls; page faults "
				"count for the instruction that caused them");
	stops_init(&sampler->stops, &sampler->target, sampling, &sampler->map, sampler->begin_ns);
	set_timer(sampler, sampler->begin_ns + sampler->plan->period_ns, sampler->plan->period_ns);
}

/* Records the process before the first sample. A launched process is still stopped; an attached one keeps running. */
static void record_begin(struct sampler *sampler, const struct process *process)
{
	char path[PATH_MAX];

	sampler->sampling->pid = (int32_t)process->pid;
	sampler->has_cpu_clock = clock_getcpuclockid(process->pid, &sampler->cpu_clock) == 0;
	if (sampler->has_cpu_clock)
		sampler->begin_cpu_ns = clock_ns(sampler->cpu_clock);
	stops_read_map(sampler->sampling, &sampler->map, process);
	if (process_program_path(process, path, sizeof(path)))
		sampler->sampling->program = sampling_intern_module(sampler->sampling, path);
	sampler->begin_ns = clock_ns(CLOCK_MONOTONIC);
}

static bool start_launched(struct sampler *sampler, struct error *err)
{
	const struct sample_plan *plan = sampler->plan;
	struct error refusal = {0};

	if (!target_launch(&sampler->target, plan->argv, plan->disable_aslr, err) || !start_timer(sampler, err))
		return false;
	record_begin(sampler, sampler->target.process);
	if (plan->method == SAMPLER_STOPS || !start_perf(sampler, &sampler->target.process->pid, 1, &refusal)) {
		if (plan->method == SAMPLER_PERF) {
			*err = refusal;
			return false;
		}
		start_stops(sampler, &refusal);
	}
	thread_resume(&sampler->target, sampler->target.threads[0], RESUME_RUN, 0, 0);
	return true;
}

static bool start_attached(struct sampler *sampler, struct error *err)
{
	struct process process = {.pid = sampler->plan->pid};
	size_t n_tids;
	pid_t *tids;
	bool ok;

	if (!process_find_threads(process.pid, &tids, &n_tids))
		return error_set(err, ERROR_USAGE, "there is no process %d", (int)process.pid);
	record_begin(sampler, &process);
	ok = start_perf(sampler, tids, n_tids, err);
	free(tids);
	return ok;
}

static void read_cpu_time(struct sampler *sampler)
{
	uint64_t cpu_ns = sampler->has_cpu_clock && !sampler->is_over ? clock_ns(sampler->cpu_clock) : 0;

	if (cpu_ns > sampler->begin_cpu_ns && cpu_ns - sampler->begin_cpu_ns > sampler->sampling->cpu_ns)
		sampler->sampling->cpu_ns = cpu_ns - sampler->begin_cpu_ns;
}

static void end_sampling(struct sampler *sampler)
{
	if (sampler->is_over)
		return;
	read_cpu_time(sampler);
	sampler->sampling->wall_ns = clock_ns(CLOCK_MONOTONIC) - sampler->begin_ns;
	sampler->is_over = sampler->stops.is_over = true;
	if (sampler->perf)
		perf_stop(sampler->perf);
}

static void on_time(struct sampler *sampler)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);

	if (sampler->is_over)
		return;
	if (sampler->plan->duration_ns && now_ns - sampler->begin_ns >= sampler->plan->duration_ns)
		end_sampling(sampler);
	if (sampler->perf)
		perf_drain(sampler->perf);
	if (sampler->is_over)
		set_timer(sampler, 0, 0);
	else if (sampler->perf)
		set_perf_timer(sampler, now_ns);
	else
		set_timer(sampler, stops_tick(&sampler->stops, now_ns), sampler->plan->period_ns);
}

static void on_stop(struct sampler *sampler, const struct stop *stop)
{
	struct target *target = &sampler->target;
	uint64_t asked_ns;

	switch (stop->kind) {
	case STOP_INTERRUPTED:
		on_time(sampler);
		break;
	case STOP_GONE:
		stops_on_gone(stop->thread);
		break;
	case STOP_SIGNAL:
		thread_resume(target, stop->thread, RESUME_RUN, stop->signal, 0);
		break;
	case STOP_TRAP: /* raised by the program itself */
		thread_resume(target, stop->thread, RESUME_RUN, SIGTRAP, 0);
		break;
	case STOP_EXITING:
		read_cpu_time(sampler);
		thread_resume(target, stop->thread, RESUME_RUN, 0, 0);
		break;
	case STOP_EXEC:
		if (!sampler->perf)
			stops_read_map(sampler->sampling, &sampler->map, stop->thread->process);
		thread_resume(target, stop->thread, RESUME_RUN, 0, 0);
		break;
	case STOP_CONTINUE:
		asked_ns = sampler->perf ? 0 : stops_on_stop(&sampler->stops, stop->thread, clock_ns(CLOCK_MONOTONIC));
		thread_resume(target, stop->thread, RESUME_RUN, 0, 0);
		if (asked_ns)
			sampler->sampling->cost_ns += clock_ns(CLOCK_MONOTONIC) - asked_ns;
		break;
	case STOP_BREAKPOINT: /* itrace sets no breakpoints here */
	case STOP_THREAD:
	case STOP_PROCESS: /* itrace does not follow forks here */
	case STOP_ENDED:
		if (stop->thread)
			thread_resume(target, stop->thread, RESUME_RUN, 0, 0);
		break;
	}
}

static void forward_interrupts(struct sampler *sampler, struct interrupts *interrupts)
{
	if (interrupts_take(interrupts) && (interrupts->must_kill || interrupts->signal))
		target_kill(&sampler->target, interrupts->must_kill ? SIGKILL : interrupts->signal);
}

static bool run_to_end(struct sampler *sampler, struct interrupts *interrupts, struct error *err)
{
	struct stop stop;

	for (;;) {
		forward_interrupts(sampler, interrupts);
		if (!target_wait(&sampler->target, &stop, err))
			return false;
		if (stop.kind == STOP_ENDED)
			return true;
		on_stop(sampler, &stop);
	}
}

/* Polls a process that itrace did not launch. */
static void watch(struct sampler *sampler, struct interrupts *interrupts)
{
	uint64_t drain_ns = perf_drain_interval_ns(sampler->perf), pause_ns = drain_ns < WATCH_NS ? drain_ns : WATCH_NS;
	const struct timespec pause = {.tv_nsec = (long)pause_ns};

	while (!sampler->is_over && !interrupts_take(interrupts) && process_is_alive(sampler->plan->pid)) {
		nanosleep(&pause, NULL);
		read_cpu_time(sampler);
		on_time(sampler);
	}
}

static void record_launched(struct sampler *sampler)
{
	const struct process *process = sampler->target.process;
	struct sampling *sampling = sampler->sampling;
	size_t n_args = 0;

	while (sampler->plan->argv[n_args])
		n_args++;
	sampling->argv = xcalloc(n_args + 1, sizeof(*sampling->argv));
	for (size_t i = 0; i < n_args; i++)
		sampling->argv[i] = xstrdup(sampler->plan->argv[i]);
	sampling->exited = process->exited && WIFEXITED(process->wait_status);
	if (sampling->exited)
		sampling->exit_status = WEXITSTATUS(process->wait_status);
	else if (process->exited)
		sampling->signal = WTERMSIG(process->wait_status);
}

static void record_attached(struct sampling *sampling)
{
	sampling->argv = xcalloc(2, sizeof(*sampling->argv));
	sampling->argv[0] = sampling->program == SAMPLING_NONE ? xasprintf("process %d", (int)sampling->pid)
							       : xstrdup(sampling->modules[sampling->program].path);
}

static void record_end(struct sampler *sampler)
{
	struct sampling *sampling = sampler->sampling;

	end_sampling(sampler);
	if (sampler->perf) {
		perf_drain(sampler->perf);
		sampling->cost_ns = sampler->sample_cost_ns * perf_count_samples(sampler->perf);
		perf_finish(sampler->perf, sampling, &sampler->map, sampler->begin_ns);
	}
	if (sampler->plan->pid)
		record_attached(sampling);
	else
		record_launched(sampler);
}

bool sampler_run(const struct sample_plan *plan, struct interrupts *interrupts, struct sampling *sampling,
		 struct error *err)
{
	struct sampling filled;
	struct sampler sampler = {.plan = plan, .sampling = &filled};
	bool ok;

	assert(plan->period_ns >= SAMPLER_PERIOD_MIN_NS && plan->n_ratios < STOPS_SERIES_MAX);
	sampling_init(&filled);
	add_series(&sampler, 1);
	for (size_t i = 0; i < plan->n_ratios; i++)
		add_series(&sampler, plan->ratios[i]);
	if (plan->pid) {
		ok = start_attached(&sampler, err);
		if (ok)
			watch(&sampler, interrupts);
	} else {
		ok = start_launched(&sampler, err) && run_to_end(&sampler, interrupts, err);
	}
	if (ok) {
		record_end(&sampler);
		*sampling = filled;
	} else {
		target_kill(&sampler.target, SIGKILL);
		sampling_deinit(&filled);
	}
	for (size_t i = 0; i < sampler.target.n_threads; i++)
		stops_on_gone(sampler.target.threads[i]);
	end_timer(&sampler);
	perf_destroy(sampler.perf);
	memory_map_deinit(&sampler.map);
	target_deinit(&sampler.target);
	return ok;
}
