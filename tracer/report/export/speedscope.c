/* The file format of www.speedscope.app: a weighted profile for each region and model, and one of executions. */
#include <stdlib.h>

#include "analysis/call_tree.h"
#include "base/array.h"
#include "base/escape.h"
#include "report/json/parts.h"

struct speedscope {
	const struct report *report;
	json_t *frames, *profiles; /* borrowed */
};

/* The frames of one region's functions follow those of the regions before it. */
static void add_frames(struct speedscope *speedscope, const struct call_tree *tree)
{
	const struct profile *profile = tree->profile;

	for (size_t i = 0; i < tree->n_functions; i++) {
		const struct call_function *function = &tree->functions[i];
		uint32_t location = profile->insns[function->entry].location;
		json_t *frame = json_object();

		json_set(frame, "name", json_text(function->name));
		if (location < profile->n_locations && profile->locations[location].file != PROFILE_NONE) {
			json_set(frame, "file", json_text(profile->files[profile->locations[location].file].path));
			if (profile->locations[location].line)
				json_set(frame, "line", json_integer(profile->locations[location].line));
		} else if (function->module != PROFILE_NONE) {
			json_set(frame, "file", json_text(profile->modules[function->module].path));
		}
		json_add(speedscope->frames, frame);
	}
}

static json_t *json_stack(const struct call_nodes *nodes, uint32_t node, size_t first_frame)
{
	const struct call_node *top = &nodes->nodes[node];
	json_t *stack = top->parent == PROFILE_NONE ? json_array() : json_stack(nodes, top->parent, first_frame);

	json_add(stack, json_count(first_frame + top->function));
	return stack;
}

struct weights {
	const struct call_nodes *nodes;
	size_t first_frame;
	size_t figure;
	json_t *samples, *weights; /* borrowed */
};

static void add_samples(const struct weights *weights, const uint32_t *children, size_t n_children)
{
	for (size_t i = 0; i < n_children; i++) {
		const struct call_node *node = &weights->nodes->nodes[children[i]];
		uint64_t weight = node->exclusive[weights->figure];

		if (weight > 0) {
			json_add(weights->samples, json_stack(weights->nodes, children[i], weights->first_frame));
			json_add(weights->weights, weights->figure ? json_cycles((mcyc_t)weight) : json_count(weight));
		}
		add_samples(weights, node->children, node->n_children);
	}
}

static void add_profile(struct speedscope *speedscope, const struct call_nodes *nodes, size_t first_frame,
			size_t figure, const char *name)
{
	struct weights weights = {nodes, first_frame, figure, json_array(), json_array()};
	json_t *profile = json_object();
	uint64_t end = 0;

	for (size_t i = 0; i < nodes->n_nodes; i++)
		end += nodes->nodes[i].exclusive[figure];
	add_samples(&weights, nodes->roots, nodes->n_roots);
	json_set(profile, "type", json_string("sampled"));
	json_set(profile, "name", json_text(name));
	json_set(profile, "unit", json_string("none"));
	json_set(profile, "startValue", json_integer(0));
	json_set(profile, "endValue", figure ? json_cycles((mcyc_t)end) : json_count(end));
	json_set(profile, "samples", weights.samples);
	json_set(profile, "weights", weights.weights);
	json_add(speedscope->profiles, profile);
}

static void add_section(struct speedscope *speedscope, const struct section *section)
{
	const struct report *report = speedscope->report;
	size_t first_frame = json_array_size(speedscope->frames);
	struct call_nodes nodes;
	struct call_tree tree;
	char *name;

	call_tree_init(&tree, report->profile, section->region_index, section->estimates, report->n_models);
	call_nodes_init(&nodes, &tree);
	add_frames(speedscope, &tree);
	for (size_t i = 0; i < report->n_models; i++) {
		name = xasprintf("%s: cycles on %s", section->title, model_name(report->models[i]));
		add_profile(speedscope, &nodes, first_frame, 1 + i, name);
		free(name);
	}
	name = xasprintf("%s: instructions", section->title);
	add_profile(speedscope, &nodes, first_frame, 0, name);
	free(name);
	call_nodes_deinit(&nodes);
	call_tree_deinit(&tree);
}

void report_write_speedscope(const struct report *report)
{
	struct speedscope speedscope = {.report = report, .frames = json_array(), .profiles = json_array()};
	json_t *root = json_object(), *shared = json_object();
	char **argv = report->profile->argv;

	for (size_t i = 0; i < report->sections->n_sections; i++)
		add_section(&speedscope, &report->sections->sections[i]);
	json_set(root, "$schema", json_string("https://www.speedscope.app/file-format-schema.json"));
	json_set(root, "name", json_text(argv && argv[0] ? argv[0] : ""));
	json_set(root, "exporter", json_string("itrace " ITRACE_VERSION));
	json_set(root, "activeProfileIndex", json_integer(0));
	json_set(shared, "frames", speedscope.frames);
	json_set(root, "shared", shared);
	json_set(root, "profiles", speedscope.profiles);
	json_write(root, report->out);
}
