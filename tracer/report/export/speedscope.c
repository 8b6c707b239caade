/* The file format of www.speedscope.app. Each region has a weighted profile for each model, and one of executions. */
#include <stdlib.h>

#include "base/array.h"
#include "report/writer.h"
#include "report/json/json.h"

struct speedscope {
	const struct report *report;
	json_t *frames, *profiles; /* borrowed */
};

/* Appends the frames of one region's functions. */
static void add_frames(struct speedscope *speedscope, const struct call_tree *tree)
{
	const struct profile *profile = tree->costed.profile;

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

static json_t *json_stack(const struct call_tree *tree, uint32_t node, size_t first_frame)
{
	const struct call_node *top = &tree->nodes[node];
	json_t *stack = top->parent == PROFILE_NONE ? json_array() : json_stack(tree, top->parent, first_frame);

	json_add(stack, json_count(first_frame + top->function));
	return stack;
}

struct weights {
	const struct call_tree *tree;
	size_t first_frame;
	size_t column;		   /* of cost rows; 0: executions */
	json_t *samples, *weights; /* borrowed */
};

static void add_samples(const struct weights *weights, const uint32_t *children, size_t n_children)
{
	for (size_t i = 0; i < n_children; i++) {
		const struct call_node *node = &weights->tree->nodes[children[i]];
		uint64_t weight = node->self[weights->column];

		if (weight > 0) {
			json_add(weights->samples, json_stack(weights->tree, children[i], weights->first_frame));
			json_add(weights->weights, weights->column ? json_cycles((mcyc_t)weight) : json_count(weight));
		}
		add_samples(weights, node->children, node->n_children);
	}
}

static void add_profile(struct speedscope *speedscope, const struct call_tree *tree, size_t first_frame, size_t column,
			const char *name)
{
	struct weights weights = {tree, first_frame, column, json_array(), json_array()};
	json_t *profile = json_object();
	uint64_t end = 0;

	for (size_t i = 0; i < tree->n_nodes; i++)
		end += tree->nodes[i].self[column];
	add_samples(&weights, tree->roots, tree->n_roots);
	json_set(profile, "type", json_string("sampled"));
	json_set(profile, "name", json_text(name));
	json_set(profile, "unit", json_string("none"));
	json_set(profile, "startValue", json_integer(0));
	json_set(profile, "endValue", column ? json_cycles((mcyc_t)end) : json_count(end));
	json_set(profile, "samples", weights.samples);
	json_set(profile, "weights", weights.weights);
	json_add(speedscope->profiles, profile);
}

static void add_region(struct speedscope *speedscope, const struct region_analysis *region)
{
	const struct report *report = speedscope->report;
	size_t first_frame = json_array_size(speedscope->frames);
	char *name;

	add_frames(speedscope, &region->call_tree);
	for (size_t i = 0; i < report->n_models; i++) {
		name = xasprintf("%s: cycles on %s", region->title, model_name(report->models[i]));
		add_profile(speedscope, &region->call_tree, first_frame, COST_CYCLES + i, name);
		free(name);
	}
	name = xasprintf("%s: instructions", region->title);
	add_profile(speedscope, &region->call_tree, first_frame, COST_EXECUTIONS, name);
	free(name);
}

void speedscope_write_report(const struct report *report)
{
	struct speedscope speedscope = {.report = report, .frames = json_array(), .profiles = json_array()};
	json_t *root = json_object(), *shared = json_object();
	char **argv = report->profile->argv;

	for (size_t i = 0; i < report->analysis->n_regions; i++)
		add_region(&speedscope, &report->analysis->regions[i]);
	json_set(root, "$schema", json_string("https://www.speedscope.app/file-format-schema.json"));
	json_set(root, "name", json_text(argv && argv[0] ? argv[0] : ""));
	json_set(root, "exporter", json_string("itrace " ITRACE_VERSION));
	json_set(root, "activeProfileIndex", json_integer(0));
	json_set(shared, "frames", speedscope.frames);
	json_set(root, "shared", shared);
	json_set(root, "profiles", speedscope.profiles);
	json_write(root, report->out);
}
