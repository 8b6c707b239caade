#include "profile/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/path.h"

/* Identifies a group. By function: {function}. By inlined calls: {function, inlined call}. By file, line or column:
 * {file, line, column} or, without a line, {PROFILE_NONE, module}. Else: {first form with the text of the group}. */
struct group_key {
	uint32_t ids[3];
};

struct form_entry {
	uint32_t group, form;
	uint32_t index; /* in the group's forms */
};

struct grouping {
	const struct profile *profile;
	enum profile_group_by by;
	uint32_t *first_forms;	/* [n_forms] the first form of the same group; NULL: forms do not determine groups */
	struct group_key *keys; /* [n_keys] by group */
	size_t n_keys, keys_capacity;
	struct index key_index;
	struct form_entry *forms;
	size_t n_forms, forms_capacity;
	struct index form_index;
};

struct first_form_entry {
	UT_hash_handle hh;
	uint32_t form;
};

bool profile_group_by_is_source(enum profile_group_by by)
{
	return by == GROUP_BY_FILE || by == GROUP_BY_LINE || by == GROUP_BY_COLUMN || by == GROUP_BY_INLINED;
}

bool profile_group_has_runs(enum profile_group_by by)
{
	return by == GROUP_BY_LINE || by == GROUP_BY_COLUMN;
}

uint32_t profile_source_function(const struct profile *profile, const struct profile_insn *insn)
{
	uint32_t inlined = profile->locations[insn->location].inlined;

	return inlined == PROFILE_NONE ? insn->function : profile->inlined[inlined].function;
}

static const char *form_column(const struct form *form, enum profile_group_by by)
{
	switch (by) {
	case GROUP_BY_MNEMONIC:
		return form->mnemonic;
	case GROUP_BY_CATEGORY:
		return form->category;
	case GROUP_BY_ISA_EXTENSION:
		return form->isa_extension;
	default:
		return form->text;
	}
}

static uint32_t *find_first_forms(const struct profile *profile, enum profile_group_by by)
{
	uint32_t *first_forms = xcalloc(profile->n_forms, sizeof(*first_forms));
	struct first_form_entry *hash = NULL, *entry;

	for (uint32_t i = 0; i < profile->n_forms; i++) {
		const char *text = form_column(&profile->forms[i].form, by);

		HASH_FIND_STR(hash, text, entry);
		if (!entry) {
			entry = xcalloc(1, sizeof(*entry));
			entry->form = i;
			HASH_ADD_KEYPTR(hh, hash, text, strlen(text), entry);
		}
		first_forms[i] = entry->form;
	}
	HASH_FREE(hash);
	return first_forms;
}

static struct group_key make_key(const struct grouping *grouping, const struct profile_insn *insn)
{
	const struct profile_location *location = &grouping->profile->locations[insn->location];
	bool has_column = grouping->by == GROUP_BY_COLUMN, has_line = has_column || grouping->by == GROUP_BY_LINE;

	switch (grouping->by) {
	case GROUP_BY_FUNCTION:
		return (struct group_key){{insn->function}};
	case GROUP_BY_INLINED:
		return (struct group_key){{insn->function, location->inlined}};
	case GROUP_BY_FILE:
	case GROUP_BY_LINE:
	case GROUP_BY_COLUMN:
		if (location->file == PROFILE_NONE)
			return (struct group_key){{PROFILE_NONE, insn->module}};
		return (struct group_key){
			{location->file, has_line ? location->line : 0, has_column ? location->column : 0}};
	default:
		return (struct group_key){{grouping->first_forms[insn->form]}};
	}
}

static const char *function_name(const struct profile *profile, uint32_t function)
{
	return function == PROFILE_NONE ? "(no function)" : profile->functions[function].name;
}

static const char *file_name(const struct profile *profile, uint32_t file)
{
	return file == PROFILE_NONE ? "?" : path_file_name(profile->files[file].path);
}

/* The caller frees it. */
static char *name_calls(const struct profile *profile, const struct profile_insn *insn)
{
	uint32_t inlined = profile->locations[insn->location].inlined;
	char *name = NULL;
	size_t n_bytes;
	FILE *out = open_memstream(&name, &n_bytes);

	if (!out)
		return xstrdup("");
	fputs(function_name(profile, profile_source_function(profile, insn)), out);
	while (inlined != PROFILE_NONE) {
		const struct profile_inlined *call = &profile->inlined[inlined];
		uint32_t caller = call->caller == PROFILE_NONE ? insn->function
							       : profile->inlined[call->caller].function;

		fprintf(out, " <- %s", function_name(profile, caller));
		if (call->file != PROFILE_NONE)
			fprintf(out, " (%s:%" PRIu32 ")", file_name(profile, call->file), call->line);
		inlined = call->caller;
	}
	fclose(out);
	return name;
}

/* The caller frees it. */
static char *name_position(const struct profile *profile, const struct profile_location *location,
			   enum profile_group_by by)
{
	const char *path = profile->files[location->file].path;

	if (by == GROUP_BY_FILE)
		return xstrdup(path);
	if (by == GROUP_BY_LINE)
		return xasprintf("%s:%" PRIu32, path, location->line);
	return xasprintf("%s:%" PRIu32 ":%" PRIu32, path, location->line, location->column);
}

static void set_name(const struct grouping *grouping, struct profile_groups *groups, struct profile_group *group,
		     const struct profile_insn *insn)
{
	const struct profile *profile = grouping->profile;
	const struct profile_location *location = &profile->locations[insn->location];
	bool is_source = profile_group_by_is_source(grouping->by);

	if (grouping->by == GROUP_BY_FUNCTION) {
		group->name = function_name(profile, insn->function);
	} else if (is_source && grouping->by != GROUP_BY_INLINED && location->file == PROFILE_NONE) {
		group->name = "(no line)";
		group->module = insn->module;
	} else if (is_source) {
		char *name = grouping->by == GROUP_BY_INLINED ? name_calls(profile, insn)
							      : name_position(profile, location, grouping->by);

		*ARRAY_ADD(groups, names) = name;
		group->name = name;
	} else {
		group->name = form_column(&profile->forms[insn->form].form, grouping->by);
	}
	if (grouping->by == GROUP_BY_FUNCTION || grouping->by == GROUP_BY_INLINED)
		group->module = insn->function == PROFILE_NONE ? PROFILE_NONE
							       : profile->functions[insn->function].module;
}

static uint32_t *group_slot(const struct grouping *grouping, const struct group_key *key)
{
	return INDEX_SLOT(&grouping->key_index, index_hash_three(key->ids[0], key->ids[1], key->ids[2]), i,
			  memcmp(&grouping->keys[i], key, sizeof(*key)) == 0);
}

static uint32_t find_group(struct grouping *grouping, struct profile_groups *groups, const struct profile_insn *insn)
{
	struct group_key key = make_key(grouping, insn);
	struct profile_group *group;
	uint32_t *slot;

	INDEX_RESERVE(&grouping->key_index, grouping->n_keys, i, group_slot(grouping, &grouping->keys[i]));
	slot = group_slot(grouping, &key);
	if (*slot)
		return *slot - 1;
	group = ARRAY_ADD(groups, groups);
	*group = (struct profile_group){.module = PROFILE_NONE, .function = PROFILE_NONE};
	if (profile_group_by_is_source(grouping->by)) {
		group->function = profile_source_function(grouping->profile, insn);
		group->location = insn->location;
	}
	set_name(grouping, groups, group, insn);
	*ARRAY_ADD(grouping, keys) = key;
	*slot = (uint32_t)grouping->n_keys;
	return *slot - 1;
}

static uint32_t *form_slot(const struct grouping *grouping, uint32_t group, uint32_t form)
{
	return INDEX_SLOT(&grouping->form_index, index_hash_pair(group, form), i,
			  grouping->forms[i].group == group && grouping->forms[i].form == form);
}

static struct profile_group_form *find_form(struct grouping *grouping, struct profile_group *group, uint32_t index,
					    uint32_t form)
{
	uint32_t *slot;

	INDEX_RESERVE(&grouping->form_index, grouping->n_forms, i,
		      form_slot(grouping, grouping->forms[i].group, grouping->forms[i].form));
	slot = form_slot(grouping, index, form);
	if (!*slot) {
		ARRAY_ADD(group, forms)->form = form;
		*ARRAY_ADD(grouping, forms) = (struct form_entry){index, form, (uint32_t)group->n_forms - 1};
		*slot = (uint32_t)grouping->n_forms;
	}
	return &group->forms[grouping->forms[*slot - 1].index];
}

static void add_insn(struct grouping *grouping, struct profile_groups *groups, uint32_t insn, uint64_t executions,
		     uint64_t iterations)
{
	const struct profile_insn *counted = &grouping->profile->insns[insn];
	uint32_t index = find_group(grouping, groups, counted);
	struct profile_group *group = &groups->groups[index];
	struct profile_group_form *form = find_form(grouping, group, index, counted->form);

	if (profile_group_by_is_source(grouping->by))
		group->has_more_functions |= group->function != profile_source_function(grouping->profile, counted);
	*ARRAY_ADD(group, insns) = insn;
	form->executions += executions;
	form->iterations += iterations;
	group->executions += executions;
	group->iterations += iterations;
}

static void grouping_deinit(struct grouping *grouping)
{
	free(grouping->keys);
	free(grouping->key_index.slots);
	free(grouping->forms);
	free(grouping->form_index.slots);
	free(grouping->first_forms);
}

static void add_runs(struct profile_groups *groups, const struct profile *profile, uint32_t region, bool by_column)
{
	uint64_t *runs = xcalloc(profile->regions[region].n_counts, sizeof(*runs));

	profile_count_runs(profile, region, by_column, runs);
	for (size_t i = 0; i < groups->n_groups; i++)
		for (size_t k = 0; k < groups->groups[i].n_insns; k++)
			groups->groups[i].runs += runs[groups->groups[i].insns[k]];
	free(runs);
}

void profile_group_init(struct profile_groups *groups, const struct profile *profile, uint32_t region,
			enum profile_group_by by)
{
	const struct profile_region *counted = &profile->regions[region];
	struct grouping grouping = {.profile = profile, .by = by};

	*groups = (struct profile_groups){0};
	if (by != GROUP_BY_FUNCTION && !profile_group_by_is_source(by))
		grouping.first_forms = find_first_forms(profile, by);
	for (uint32_t i = 0; i < counted->n_counts; i++)
		if (counted->executions[i] || counted->iterations[i])
			add_insn(&grouping, groups, i, counted->executions[i], counted->iterations[i]);
	grouping_deinit(&grouping);
	if (profile_group_has_runs(by))
		add_runs(groups, profile, region, by == GROUP_BY_COLUMN);
}

void profile_group_deinit(struct profile_groups *groups)
{
	for (size_t i = 0; i < groups->n_groups; i++) {
		free(groups->groups[i].forms);
		free(groups->groups[i].insns);
	}
	for (size_t i = 0; i < groups->n_names; i++)
		free(groups->names[i]);
	free(groups->names);
	free(groups->groups);
	*groups = (struct profile_groups){0};
}
