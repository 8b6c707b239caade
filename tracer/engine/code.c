#include "engine/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The vsyscall page (Linux, Documentation/arch/x86/x86_64/mm.rst): three entries whose bytes cannot be read; entering one
 * performs the call and returns to the caller. */
#define VSYSCALL_START UINT64_C(0xffffffffff600000)
#define VSYSCALL_END UINT64_C(0xffffffffff601000)

/* Several times as many as a large program has: python3 with its libraries. */
enum { CODE_FORMS = 1 << 14 };

void code_init(struct code *code, const struct modules *modules, struct rseq_sections *sections)
{
	*code = (struct code){.n_slots = 1024, .generation = 1, .modules = modules, .sections = sections};
	code->slots = xcalloc(code->n_slots, sizeof(*code->slots));
	code->forms = xcalloc(CODE_FORMS, sizeof(*code->forms));
}

void code_deinit(struct code *code)
{
	mapping_list_deinit(&code->mappings);
	free(code->others);
	free(code->forms);
	free(code->sites);
	free(code->slots);
	va_map_deinit(&code->site_at);
}

void code_forget(struct code *code)
{
	memset(code->slots, 0, code->n_slots * sizeof(*code->slots));
	code->n_sites = code->n_used_slots = 0;
	va_map_clear(&code->site_at);
	code_distrust(code);
}

void code_distrust(struct code *code)
{
	code->generation++;
}

/* The slot of an address, or the free one where it belongs. */
static uint32_t *find_slot(const struct code *code, const struct profile *profile, uint64_t va)
{
	size_t mask = code->n_slots - 1;
	/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
	/* Neighbours are asked for one after the other, and share a line of the processor's cache. */
	size_t i = (size_t)((va >> 6) * UINT64_C(0x9e3779b97f4a7c15) >> 32 << 4 | (va >> 2 & 15)) & mask;

	while (code->slots[i] && profile->insns[code->slots[i] - 1].va != va)
		i = (i + 1) & mask;
	return &code->slots[i];
}

static void grow(struct code *code, const struct profile *profile)
{
	uint32_t *old = code->slots;
	size_t n_old = code->n_slots;

	code->n_slots *= 4;
	code->slots = xcalloc(code->n_slots, sizeof(*code->slots));
	for (size_t i = 0; i < n_old; i++)
		if (old[i])
			*find_slot(code, profile, profile->insns[old[i] - 1].va) = old[i];
	free(old);
}

static void set_build_id(struct profile_module *added, const struct module *module)
{
	const uint8_t *build_id;
	size_t n_bytes;

	if (!module->file)
		return;
	build_id = elf_file_build_id(module->file, &n_bytes);
	if (n_bytes == 0 || n_bytes > sizeof(added->build_id))
		return;
	memcpy(added->build_id, build_id, n_bytes);
	added->n_build_id = (uint8_t)n_bytes;
}

static uint32_t module_index(const struct code *code, struct profile *profile, uint64_t va)
{
	const struct module *module = modules_find(code->modules, va);
	struct profile_module *added;

	if (!module)
		return PROFILE_NONE;
	for (size_t i = 0; i < profile->n_modules; i++)
		if (profile->modules[i].start_va == module->start_va && profile->modules[i].end_va == module->end_va &&
		    strcmp(profile->modules[i].path, module->path) == 0)
			return (uint32_t)i;
	added = ARRAY_ADD(profile, modules);
	added->path = xstrdup(module->path);
	added->start_va = module->start_va;
	added->end_va = module->end_va;
	added->bias = module->bias;
	added->is_program = module == modules_program(code->modules);
	set_build_id(added, module);
	return (uint32_t)(profile->n_modules - 1);
}

/* The same bytes at the same address are the same instruction, however often they came and went: one of those that were where `other` was, or
 * PROFILE_NONE. */
static uint32_t find_former(const struct code *code, const struct profile *profile, uint32_t other,
			    const struct insn *insn)
{
	uint32_t i = other;

	do {
		if (profile->insns[i].length == insn->length &&
		    memcmp(profile->insns[i].bytes, insn->bytes, sizeof(insn->bytes)) == 0)
			return i;
		i = code->others[i];
	} while (i != other);
	return PROFILE_NONE;
}

/* Making the text of a form takes longer than all else that is done for a new instruction. */
static uint32_t form_of(struct code *code, struct profile *profile, const struct insn *insn)
{
	uint64_t key[2] = {insn->length};
	struct code_form *known;

	if (!insn->length)
		return profile_intern_form(profile, insn->bytes, 0);
	memcpy((uint8_t *)key + 1, insn->bytes, insn->length - (size_t)insn->value_bytes);
	/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
	known = &code->forms[(key[0] ^ key[1] * 31) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (CODE_FORMS - 1)];
	if (known->key[0] != key[0] || known->key[1] != key[1]) {
		known->key[0] = key[0];
		known->key[1] = key[1];
		known->form = profile_intern_form(profile, insn->bytes, insn->length);
	}
	return known->form;
}

/* `other` is one that was at this address before, or PROFILE_NONE. */
static uint32_t add_insn(struct code *code, struct profile *profile, uint64_t va, const struct insn *insn,
			 bool is_vsyscall, uint32_t other)
{
	struct profile_insn *added = ARRAY_ADD(profile, insns);
	uint32_t index = (uint32_t)(profile->n_insns - 1);

	code->others = array_reserve(code->others, &code->others_capacity, profile->n_insns, sizeof(*code->others));
	code->others[index] = other == PROFILE_NONE ? index : code->others[other];
	if (other != PROFILE_NONE)
		code->others[other] = index;
	added->va = va;
	added->function = PROFILE_NONE;
	added->length = insn->length;
	memcpy(added->bytes, insn->bytes, sizeof(added->bytes));
	added->form = is_vsyscall ? profile_intern_named_form(profile, "(vsyscall)") : form_of(code, profile, insn);
	added->module = module_index(code, profile, va);
	return index;
}

static void refresh_mappings(struct code *code, const struct process *process)
{
	struct error ignored = {0};
	struct mapping_list fresh;

	if (code->mappings_generation == code->generation || !process_read_mappings(process, &fresh, &ignored))
		return;
	mapping_list_deinit(&code->mappings);
	code->mappings = fresh;
	code->mappings_generation = code->generation;
}

/* The index in the profile of what is at va now. */
static uint32_t identify(struct code *code, struct profile *profile, uint64_t va, const struct insn *insn,
			 bool is_vsyscall, bool *has_changed)
{
	uint32_t *slot, other, index;

	if (code->n_used_slots * 2 >= code->n_slots)
		grow(code, profile);
	slot = find_slot(code, profile, va);
	other = *slot ? *slot - 1 : PROFILE_NONE;
	index = *slot ? find_former(code, profile, other, insn) : PROFILE_NONE;
	if (index == PROFILE_NONE)
		index = add_insn(code, profile, va, insn, is_vsyscall, other);
	code->n_used_slots += !*slot;
	*slot = index + 1;
	*has_changed = other != PROFILE_NONE && other != index;
	return index;
}

static struct code_site *get_site(struct code *code, uint64_t va, bool *is_new)
{
	uint32_t i = va_map_get(&code->site_at, va);

	*is_new = i == VA_MAP_NONE;
	if (!*is_new)
		return &code->sites[i];
	va_map_set(&code->site_at, va, (uint32_t)code->n_sites);
	*ARRAY_ADD(code, sites) = (struct code_site){.va = va};
	return &code->sites[code->n_sites - 1];
}

const struct code_site *code_at(struct code *code, const struct process *process, struct profile *profile, uint64_t va)
{
	bool is_new, has_changed;
	struct code_site *site = get_site(code, va, &is_new);
	uint8_t bytes[INSN_MAX_BYTES];
	const struct mapping *mapping;
	size_t n_bytes;

	if (!is_new && site->checked == code->generation && !site->is_mutable && !code->never_trust)
		return site;
	n_bytes = process_read(process, va, bytes, sizeof(bytes));
	refresh_mappings(code, process);
	mapping = mapping_find(&code->mappings, va);
	site->is_mutable = !mapping || mapping->writable || mapping->shared;
	site->checked = code->generation;
	if (!is_new && site->insn.length && n_bytes >= site->insn.length &&
	    memcmp(bytes, site->insn.bytes, site->insn.length) == 0) {
		/* Translated code may have had another instruction here meanwhile. */
		*find_slot(code, profile, va) = site->index + 1;
		return site;
	}
	if (!is_new && site->is_vsyscall)
		return site;
	if (!insn_decode(bytes, n_bytes, &site->insn))
		memset(&site->insn, 0, sizeof(site->insn));
	rseq_sections_note(code->sections, va, &site->insn);
	rseq_sections_look(code->sections, process);
	if (is_new)
		site->is_vsyscall = va >= VSYSCALL_START && va < VSYSCALL_END;
	site->index = identify(code, profile, va, &site->insn, site->is_vsyscall, &has_changed);
	return site;
}

uint32_t code_index(struct code *code, struct profile *profile, uint64_t va, const struct insn *insn)
{
	bool has_changed;
	uint32_t index = identify(code, profile, va, insn, false, &has_changed), site;

	if (!has_changed)
		return index;
	site = va_map_get(&code->site_at, va);
	if (site != VA_MAP_NONE)
		code->sites[site].checked = 0;
	return index;
}
