#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define uthash_malloc(n_bytes) xcalloc(1, n_bytes)
#include <uthash.h>

/* group_id tells groups apart: the function, or the first of all forms with the same text in the grouped column. */
struct part_key {
	uint32_t group_id;
	uint32_t form;
};

struct part_entry {
	UT_hash_handle hh;
	struct part_key key;
	uint32_t part;
};

struct grouping {
	const struct profile *profile;
	enum profile_group_by by;
	uint32_t *leaders;	  /* [n_forms] group_id by form; NULL when grouping by function */
	uint32_t *groups;	  /* [n_ids] index of the group by group_id, or PROFILE_NONE */
	struct part_entry *parts; /* hash */
};

struct leader_entry {
	UT_hash_handle hh;
	uint32_t form;
};

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

static uint32_t *find_leaders(const struct profile *profile, enum profile_group_by by)
{
	uint32_t *leaders = xcalloc(profile->n_forms, sizeof(*leaders));
	struct leader_entry *hash = NULL, *entry, *next;

	for (uint32_t i = 0; i < profile->n_forms; i++) {
		const char *text = form_column(&profile->forms[i].form, by);

		HASH_FIND_STR(hash, text, entry);
		if (!entry) {
			entry = xcalloc(1, sizeof(*entry));
			entry->form = i;
			HASH_ADD_KEYPTR(hh, hash, text, strlen(text), entry);
		}
		leaders[i] = entry->form;
	}
	HASH_ITER (hh, hash, entry, next) {
		HASH_DELETE(hh, hash, entry);
		free(entry);
	}
	return leaders;
}

/* Instructions without a function have the id after the last function's. */
static uint32_t group_id(const struct grouping *grouping, const struct profile_insn *insn)
{
	if (grouping->by != GROUP_BY_FUNCTION)
		return grouping->leaders[insn->form];
	return insn->function == PROFILE_NONE ? (uint32_t)grouping->profile->n_functions : insn->function;
}

static struct profile_group *find_group(struct grouping *grouping, struct profile_groups *groups,
					const struct profile_insn *insn)
{
	const struct profile *profile = grouping->profile;
	uint32_t id = group_id(grouping, insn);
	struct profile_group *group;

	if (grouping->groups[id] != PROFILE_NONE)
		return &groups->groups[grouping->groups[id]];
	group = ARRAY_ADD(groups, groups);
	group->module = PROFILE_NONE;
	if (grouping->by != GROUP_BY_FUNCTION) {
		group->name = form_column(&profile->forms[insn->form].form, grouping->by);
	} else if (insn->function == PROFILE_NONE) {
		group->name = "(no function)";
	} else {
		group->name = profile->functions[insn->function].name;
		group->module = profile->functions[insn->function].module;
	}
	grouping->groups[id] = (uint32_t)groups->n_groups - 1;
	return group;
}

static struct profile_group_part *find_part(struct grouping *grouping, struct profile_group *group,
					    const struct profile_insn *insn)
{
	struct part_key key = {.group_id = group_id(grouping, insn), .form = insn->form};
	struct part_entry *entry;

	HASH_FIND(hh, grouping->parts, &key, sizeof(key), entry);
	if (!entry) {
		ARRAY_ADD(group, parts)->form = insn->form;
		entry = xcalloc(1, sizeof(*entry));
		*entry = (struct part_entry){.key = key, .part = (uint32_t)group->n_parts - 1};
		HASH_ADD(hh, grouping->parts, key, sizeof(key), entry);
	}
	return &group->parts[entry->part];
}

void profile_group_init(struct profile_groups *groups, const struct profile *profile, uint32_t region,
			enum profile_group_by by)
{
	const struct profile_region *counted = &profile->regions[region];
	size_t n_ids = by == GROUP_BY_FUNCTION ? profile->n_functions + 1 : profile->n_forms;
	struct grouping grouping = {.profile = profile, .by = by};
	struct part_entry *entry, *next;

	*groups = (struct profile_groups){0};
	if (by != GROUP_BY_FUNCTION)
		grouping.leaders = find_leaders(profile, by);
	grouping.groups = xrealloc_array(NULL, n_ids, sizeof(*grouping.groups));
	for (size_t i = 0; i < n_ids; i++)
		grouping.groups[i] = PROFILE_NONE;

	for (uint32_t i = 0; i < counted->n_counts; i++) {
		const struct profile_insn *insn = &profile->insns[i];
		struct profile_group_part *part;
		struct profile_group *group;

		if (!counted->executions[i] && !counted->iterations[i])
			continue;
		group = find_group(&grouping, groups, insn);
		part = find_part(&grouping, group, insn);
		*ARRAY_ADD(group, insns) = i;
		part->executions += counted->executions[i];
		part->iterations += counted->iterations[i];
		group->executions += counted->executions[i];
		group->iterations += counted->iterations[i];
	}

	HASH_ITER (hh, grouping.parts, entry, next) {
		HASH_DELETE(hh, grouping.parts, entry);
		free(entry);
	}
	free(grouping.leaders);
	free(grouping.groups);
}

void profile_group_deinit(struct profile_groups *groups)
{
	for (size_t i = 0; i < groups->n_groups; i++) {
		free(groups->groups[i].parts);
		free(groups->groups[i].insns);
	}
	free(groups->groups);
	*groups = (struct profile_groups){0};
}
