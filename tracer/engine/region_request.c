#include "engine/region_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/insn.h"
#include "engine/visits/allocations.h"

static uint32_t region_id(void *context, const char *name, bool is_begin_marker)
{
	struct engine *engine = context;
	uint32_t region = profile_intern_region(engine->profile, name, PROFILE_NONE);

	engine->profile->regions[region].n_markers += is_begin_marker;
	return region;
}

/* Decodes from the start of the function. Bytes that are no instruction may be data, after which nothing is known. */
static bool find_instruction(void *context, const struct module *module, uint64_t va, struct trigger_instruction *found)
{
	const struct engine *engine = context;
	const struct function_finder *finder = engine->plan->finder;
	uint8_t bytes[INSN_MAX_BYTES];
	struct insn insn;
	uint64_t at;

	if (!module->file || !finder || !finder->find_start(finder->context, module->path, va - module->bias, &at))
		return false;
	for (at += module->bias;; at += insn.length) {
		size_t n_bytes = process_read(engine->process, at, bytes, sizeof(bytes));

		if (!insn_decode(bytes, n_bytes, &insn))
			return false;
		if (va - at < insn.length)
			break;
	}
	found->start_va = at;
	found->end_va = at + insn.length;
	insn_disassemble(bytes, insn.length, at, found->text, sizeof(found->text));
	return true;
}

void region_request_init(struct engine *engine)
{
	const struct trace_plan *plan = engine->plan;
	struct trigger_range *ranges = xcalloc(plan->n_ranges, sizeof(*ranges));

	for (size_t i = 0; i < plan->n_ranges; i++)
		ranges[i] = (struct trigger_range){
			.start = plan->starts[i],
			.stop = plan->stops[i],
			.name = xasprintf("%s..%s", plan->starts[i], plan->stops[i]),
		};
	engine->request = (struct trigger_request){
		.functions = plan->functions,
		.n_functions = plan->n_functions,
		.finder = plan->finder,
		.ranges = ranges,
		.n_ranges = plan->n_ranges,
		.whole_program = plan->whole_program,
		.only_regions = plan->only_regions,
		.n_only_regions = plan->n_only_regions,
		.scopes = plan->scopes,
		.region_id = region_id,
		.find_instruction = find_instruction,
		.context = engine,
	};
	if (plan->stream && plan->stream->on_allocation)
		engine->request.allocators = allocation_symbols(&engine->request.n_allocators);
}

void region_request_deinit(struct engine *engine)
{
	for (size_t i = 0; i < engine->request.n_ranges; i++)
		free((char *)(uintptr_t)engine->request.ranges[i].name);
	free((struct trigger_range *)(uintptr_t)engine->request.ranges);
}

static void note_matches(struct engine *engine, const char *name, const struct trigger_function *function)
{
	size_t n_listed = function->n_matches < TRIGGER_MAX_LISTED ? function->n_matches : TRIGGER_MAX_LISTED, n_bytes;
	char *text = NULL;
	FILE *out;

	if (function->n_matches < 2)
		return;
	out = open_memstream(&text, &n_bytes);
	for (size_t i = 0; out && i < n_listed; i++)
		fprintf(out, "%s%s", i ? ", " : "", function->matches[i]);
	if (out && n_listed < function->n_matches)
		fprintf(out, " and %zu more", function->n_matches - n_listed);
	if (out && fclose(out) == 0)
		profile_note(engine->profile, "--function %s stands for %zu functions: %s", name, function->n_matches,
			     text);
	free(text);
}

static void note_not_called(struct engine *engine, const char *name, const struct trigger_function *function)
{
	uint32_t region = region_id(engine, name, false);

	if (!engine->profile->regions[region].visits)
		profile_note(engine->profile, "%s exists, but its first instruction did not run",
			     function->n_matches == 1 ? function->matches[0] : name);
}

static void note_missing(struct engine *engine, const char *name, const struct trigger_function *function)
{
	const struct function_finder *finder = engine->plan->finder;
	const struct modules *modules = &engine->triggers.modules;
	char *reason = NULL;

	if (function->is_indirect) {
		profile_note(engine->profile,
			     "%s is an indirect function: the loader picks one of several variants; name the variant",
			     name);
		return;
	}
	for (size_t i = 0; finder && !reason && i < modules->n_modules; i++)
		reason = finder->explain(finder->context, engine->process->pid, modules->modules[i].path, name);
	profile_note(engine->profile, "no function named %s in the program or its libraries%s%s", name,
		     reason ? "; " : "", reason ? reason : "");
	free(reason);
}

void region_request_note(struct engine *engine)
{
	const struct triggers *triggers = &engine->triggers;

	for (size_t i = 0; i < engine->request.n_functions; i++) {
		const char *name = engine->request.functions[i];

		if (triggers->functions[i].is_found) {
			note_matches(engine, name, &triggers->functions[i]);
			note_not_called(engine, name, &triggers->functions[i]);
		} else {
			note_missing(engine, name, &triggers->functions[i]);
		}
	}
	for (size_t i = 0; i < engine->request.n_ranges; i++) {
		if (!triggers->ranges[i].has_start)
			profile_note(engine->profile, "no code is mapped at --start %s",
				     engine->request.ranges[i].start);
		if (!triggers->ranges[i].has_stop)
			profile_note(engine->profile, "no code is mapped at --stop %s", engine->request.ranges[i].stop);
	}
}
