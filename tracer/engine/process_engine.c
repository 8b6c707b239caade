#include "engine/process_engine.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/array.h"
#include "engine/backend.h"
#include "engine/inner_tracers.h"
#include "engine/region_request.h"
#include "engine/visits/visit_sampling.h"

bool engine_sync_triggers(struct engine *engine, struct error *err)
{
	struct mapping_list mappings;
	bool ok;

	if (!process_read_mappings(engine->process, &mappings, err))
		return false;
	ok = triggers_sync(&engine->triggers, &engine->request, engine->process, &mappings, err);
	mapping_list_deinit(&mappings);
	code_invalidate(&engine->code);
	return ok;
}

void engine_sync_triggers_or_note(struct engine *engine)
{
	struct error why = {0};

	if (!engine_sync_triggers(engine, &why))
		profile_note(engine->profile, "some regions are not watched: %s", why.text);
}

void engine_inherit_functions(struct engine *engine, const struct engine *from)
{
	struct error ignored = {0};

	for (size_t i = 0; i < from->triggers.n_triggers; i++) {
		const struct trigger *trigger = &from->triggers.triggers[i];

		for (size_t j = 0; trigger->kind == TRIGGER_FUNCTION && j < engine->request.n_functions; j++)
			if (!engine->triggers.functions[j].is_found &&
			    strcmp(engine->request.functions[j], from->profile->regions[trigger->region].name) == 0)
				triggers_add_function(&engine->triggers, &engine->request, engine->process, j,
						      trigger->va, &ignored);
	}
}

bool engine_check_program(const struct process *process, struct error *why)
{
	char path[PATH_MAX];
	struct elf_file *file;

	if (!process_program_path(process, path, sizeof(path)))
		return error_set_errno(why, ERROR_ENVIRONMENT, "cannot tell which program process %d runs",
				       (int)process->pid);
	file = elf_file_open(path, why);
	if (!file)
		return false;
	elf_file_close(file);
	return true;
}

void engine_note_program(struct engine *engine)
{
	const struct process *process = engine->process;
	const char *withheld = process_withheld_privilege(process);
	char path[PATH_MAX];

	if (!process_program_path(process, path, sizeof(path)))
		return;
	if (withheld)
		profile_note(engine->profile,
			     "%s %s: it ran without these privileges, which a program that is traced does not get",
			     path, withheld);
	if (engine->plan->disable_aslr && !engine->plan->pid && process_is_randomized(process))
		profile_note(engine->profile,
			     "--no-aslr has no effect on %s: it is set-user-ID, or asked for random addresses "
			     "(personality(2))",
			     path);
}

static char **copy_arguments(const char *const *argv)
{
	size_t n_args = 0;
	char **copy;

	while (argv[n_args])
		n_args++;
	copy = xcalloc(n_args + 1, sizeof(*copy));
	for (size_t i = 0; i < n_args; i++)
		copy[i] = xstrdup(argv[i]);
	return copy;
}

void engine_name_program(struct engine *engine)
{
	struct profile *profile = engine->profile;
	bool is_launched = engine->process == engine->target->process && !engine->plan->pid;

	/* A launched program keeps the name that the user gave it, even after exec. */
	if (is_launched && profile->argv)
		return;
	for (size_t i = 0; profile->argv && profile->argv[i]; i++)
		free(profile->argv[i]);
	free(profile->argv);
	profile->argv = is_launched ? copy_arguments(engine->plan->argv) : process_command_line(engine->process->pid);
}

void engine_record_end(struct engine *engine)
{
	const struct process *process = engine->process;
	struct profile *profile = engine->profile;

	profile->engine = xstrdup(engine->used->ops->name);
	profile->has_edges = engine->plan->want_edges || engine->used == engine->backends[0];
	if (!profile->has_edges)
		profile_discard_edges(profile);
	profile->wall_ns = monotonic_now_ns() - engine->begin_ns;
	profile->exited = process->exited && WIFEXITED(process->wait_status);
	if (profile->exited)
		profile->exit_status = WEXITSTATUS(process->wait_status);
	else if (process->exited)
		profile->signal = WTERMSIG(process->wait_status);
	inner_tracers_note_end(engine);
	region_request_note(engine);
	visit_sampling_note(engine);
	if (engine->run->is_leaving && !process->exited)
		profile_note(profile, "tracing stopped %s; the program ran on untraced", engine->run->reason);
	if (process->n_detached)
		profile_note(profile, "%u child process%s ran on untraced", process->n_detached,
			     process->n_detached == 1 ? "" : "es");
}

struct engine *engine_create(struct run *run, struct process *process)
{
	bool is_first = process == run->target.process;
	const struct trace_plan *plan = run->plan;
	struct engine *engine = xcalloc(1, sizeof(*engine));

	engine->run = run;
	engine->plan = plan;
	engine->target = &run->target;
	engine->process = process;
	engine->begin_ns = is_first ? run->begin_ns : monotonic_now_ns();
	engine->is_attached = is_first && plan->pid;
	engine->profile = xcalloc(1, sizeof(*engine->profile));
	region_request_init(engine);
	profile_init(engine->profile);
	triggers_init(&engine->triggers, &engine->request);
	engine->code = (struct code){.process = process,
				     .profile = engine->profile,
				     .modules = &engine->triggers.modules,
				     .sections = &engine->sections,
				     .forms = &run->forms};
	code_init(&engine->code);
	engine->backends[engine->n_backends++] = step_create(engine);
	engine->used = engine->backends[0];
	if (plan->engine != ENGINE_STEP)
		engine->backends[engine->n_backends++] = translate_create(engine);
	process->engine = engine;
	engine->profile->pid = process->pid;
	engine_name_program(engine);
	return engine;
}

void engine_finish(struct engine *engine)
{
	struct run *run = engine->run;

	run->n_instructions += engine->n_instructions;
	engine_record_end(engine);
	if (run->plan->on_child)
		run->plan->on_child(run->plan->context, engine->profile);
	engine->process->engine = NULL;
	engine_destroy(engine);
}

void engine_destroy(struct engine *engine)
{
	if (!engine)
		return;
	for (size_t i = 0; i < engine->n_backends; i++)
		engine->backends[i]->ops->destroy(engine->backends[i]);
	code_deinit(&engine->code);
	rseq_sections_deinit(&engine->sections);
	triggers_deinit(&engine->triggers);
	profile_deinit(engine->profile);
	free(engine->profile);
	free(engine->region_visits);
	region_request_deinit(engine);
	free(engine);
}
