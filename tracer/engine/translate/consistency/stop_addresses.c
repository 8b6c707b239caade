#include "engine/translate/consistency/stop_addresses.h"

#include <stdlib.h>

#include "base/array.h"
#include "engine/translate/consistency/suspend.h"

void stop_addresses_deinit(struct stop_addresses *stops)
{
	va_map_deinit(&stops->at);
	free(stops->breakpoints);
}

void stop_addresses_clear(struct stop_addresses *stops)
{
	va_map_clear(&stops->at);
	stops->n_sections = 0;
}

static void add(struct translator *translator, uint64_t va)
{
	if (stop_addresses_has(translator, va))
		return;
	va_map_set(&translator->stops.at, va, 0);
	retire_at(translator, va);
}

void stop_addresses_add_returns(struct translator *translator, const struct task *task)
{
	if (task->allocation.is_pending)
		add(translator, task->allocation.return_va);
	for (size_t i = 0; i < task->visits.n_visits; i++) {
		const struct visit *visit = &task->visits.visits[i];
		uint64_t va;

		if (visit->end == VISIT_ENDS_AT_RETURN &&
		    process_read(task->thread->process, visit->begin.rsp, &va, sizeof(va)) == sizeof(va))
			add(translator, va);
	}
}

void stop_addresses_retire_breakpoints(struct translator *translator)
{
	const struct process *process = translator->engine->process;
	struct stop_addresses *stops = &translator->stops;
	size_t known = 0, n_known = stops->n_breakpoints;

	if (stops->breakpoints_version == process->breakpoints_version)
		return;
	for (size_t i = 0; i < process->n_breakpoints; i++) {
		uint64_t va = process->breakpoints[i].va;

		while (known < n_known && stops->breakpoints[known] < va)
			known++;
		if (known == n_known || stops->breakpoints[known] != va)
			retire_at(translator, va);
	}
	stops->n_breakpoints = 0;
	for (size_t i = 0; i < process->n_breakpoints; i++)
		*ARRAY_ADD(stops, breakpoints) = process->breakpoints[i].va;
	stops->breakpoints_version = process->breakpoints_version;
}

void stop_addresses_retire_sections(struct translator *translator)
{
	struct rseq_sections *sections = &translator->engine->sections;

	rseq_sections_look(sections, translator->engine->process);
	while (translator->stops.n_sections < sections->n_sections) {
		const struct rseq_section *section = &sections->sections[translator->stops.n_sections++];

		for (uint64_t va = section->start_va; va < section->end_va; va++)
			retire_at(translator, va);
	}
}
