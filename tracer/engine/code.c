#include "engine/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "engine/syscalls.h"

/* The vsyscall page (Linux, Documentation/arch/x86/x86_64/mm.rst): three entries whose bytes cannot be read;
 * entering one performs the call and returns to the caller. */
#define VSYSCALL_START UINT64_C(0xffffffffff600000)
#define VSYSCALL_END UINT64_C(0xffffffffff601000)

/* several times the number of forms in python3 with its libraries */
enum { CODE_FORMS = 1 << 14 };

enum { PAGE_BITS = 12 };

/* The key is the instruction's bytes without immediates and displacements. */
struct code_form {
	uint64_t key[2];
	struct form form;
	uint32_t code;	/* number of the struct code in whose profile ... */
	uint32_t index; /* ... the form has this index */
};

void code_forms_deinit(struct code_forms *forms)
{
	if (forms->list)
		table_destroy(forms->list, CODE_FORMS * sizeof(*forms->list));
}

void code_init(struct code *code)
{
	code->generation = 1;
	code->number = ++code->forms->n_codes;
	if (!code->forms->list)
		code->forms->list = table_create(CODE_FORMS * sizeof(*code->forms->list));
}

void code_deinit(struct code *code)
{
	mapping_list_deinit(&code->mappings);
	free(code->same_va);
	free(code->sites);
	va_map_deinit(&code->insn_at);
	va_map_deinit(&code->site_at);
	va_map_deinit(&code->site_pages);
}

void code_expect(struct code *code, size_t n_insns)
{
	struct profile *profile = code->profile;

	if (code->insn_at.n_used || profile->n_insns)
		return;
	va_map_deinit(&code->insn_at);
	va_map_reserve(&code->insn_at, n_insns);
	profile->insns = array_grow(profile->insns, &profile->insns_capacity, n_insns, sizeof(*profile->insns));
	code->same_va = array_reserve(code->same_va, &code->same_va_capacity, n_insns, sizeof(*code->same_va));
}

void code_forget(struct code *code)
{
	va_map_clear(&code->insn_at);
	code->n_sites = 0;
	va_map_clear(&code->site_at);
	va_map_clear(&code->site_pages);
	code_invalidate(code);
}

void code_invalidate(struct code *code)
{
	code->generation++;
}

void code_invalidate_range(struct code *code, uint64_t start_va, uint64_t end_va)
{
	enum { PAGES_MAX = 1024 };
	uint64_t first = (start_va - INSN_MAX_BYTES) >> PAGE_BITS, last = (end_va - 1) >> PAGE_BITS;
	bool has_sites = last - first >= PAGES_MAX;

	for (uint64_t page = first; page <= last && !has_sites; page++)
		has_sites = va_map_get(&code->site_pages, page) != VA_MAP_NONE;
	code->mappings_generation = 0;
	if (has_sites)
		code_invalidate(code);
}

bool code_may_change(const struct code *code, const struct target_regs *before, const struct target_regs *after)
{
	return code->mappings_generation == code->generation ? syscalls_may_change_code(&code->mappings, before, after)
							     : syscalls_change_mappings((int64_t)before->rax);
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

static uint32_t module_index(const struct code *code, uint64_t va)
{
	const struct module *module = modules_find(code->modules, va);
	struct profile *profile = code->profile;
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

/* Equal bytes at one address are one instruction, however often the code there changed. Searches the ring of
 * instructions that begin at the address of `other`. Returns PROFILE_NONE if none has these bytes. */
static uint32_t find_earlier(const struct code *code, uint32_t other, const struct insn *insn)
{
	uint32_t i = other;

	do {
		if (code->profile->insns[i].length == insn->length &&
		    memcmp(code->profile->insns[i].bytes, insn->bytes, sizeof(insn->bytes)) == 0)
			return i;
		i = code->same_va[i];
	} while (i != other);
	return PROFILE_NONE;
}

/* Most of the time for a new instruction goes into the text of its form, so forms are cached. */
static uint32_t form_of(struct code *code, const struct insn *insn)
{
	uint64_t key[2] = {insn->length};
	struct code_form *known;

	if (!insn->length)
		return profile_intern_form(code->profile, insn->bytes, 0);
	memcpy((uint8_t *)key + 1, insn->bytes, insn->length - (size_t)insn->trailing_constant_bytes);
	/* Fibonacci hashing: Knuth, TAOCP vol. 3, 6.4. */
	known = &code->forms->list[(key[0] ^ key[1] * 31) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (CODE_FORMS - 1)];
	if (known->key[0] != key[0] || known->key[1] != key[1]) {
		known->key[0] = key[0];
		known->key[1] = key[1];
		known->code = 0;
		form_of_bytes(insn->bytes, insn->length, &known->form);
	}
	if (known->code != code->number) {
		known->code = code->number;
		known->index = profile_intern_known_form(code->profile, &known->form);
	}
	return known->index;
}

/* `other` is an earlier instruction at this address, or PROFILE_NONE. */
static uint32_t add_insn(struct code *code, uint64_t va, const struct insn *insn, bool is_vsyscall, uint32_t other)
{
	struct profile_insn *added = ARRAY_ADD(code->profile, insns);
	uint32_t index = (uint32_t)(code->profile->n_insns - 1);

	code->same_va = array_reserve(code->same_va, &code->same_va_capacity, code->profile->n_insns,
				      sizeof(*code->same_va));
	code->same_va[index] = other == PROFILE_NONE ? index : code->same_va[other];
	if (other != PROFILE_NONE)
		code->same_va[other] = index;
	added->va = va;
	added->function = PROFILE_NONE;
	added->length = insn->length;
	memcpy(added->bytes, insn->bytes, sizeof(added->bytes));
	added->form = is_vsyscall ? profile_intern_named_form(code->profile, "(vsyscall)") : form_of(code, insn);
	added->module = module_index(code, va);
	return index;
}

static void refresh_mappings(struct code *code)
{
	struct error ignored = {0};
	struct mapping_list fresh;

	if (code->mappings_generation == code->generation || !process_read_mappings(code->process, &fresh, &ignored))
		return;
	mapping_list_deinit(&code->mappings);
	code->mappings = fresh;
	code->mappings_generation = code->generation;
}

/* The index in the profile of the instruction that is at va now. *other becomes that of the instruction that was found
 * there last, or VA_MAP_NONE. */
static uint32_t identify(struct code *code, uint64_t va, const struct insn *insn, bool is_vsyscall, uint32_t *other)
{
	struct va_map_slot *slot = va_map_at(&code->insn_at, va);
	uint32_t index = PROFILE_NONE;

	*other = slot->value_plus_1 - 1;
	if (*other != VA_MAP_NONE)
		index = find_earlier(code, *other, insn);
	if (index == PROFILE_NONE)
		index = add_insn(code, va, insn, is_vsyscall, *other);
	slot->value_plus_1 = index + 1;
	return index;
}

static struct code_site *get_site(struct code *code, uint64_t va, bool *is_new)
{
	uint32_t i = va_map_get(&code->site_at, va);

	*is_new = i == VA_MAP_NONE;
	if (!*is_new)
		return &code->sites[i];
	va_map_set(&code->site_at, va, (uint32_t)code->n_sites);
	va_map_set(&code->site_pages, va >> PAGE_BITS, 0);
	*ARRAY_ADD(code, sites) = (struct code_site){.va = va};
	return &code->sites[code->n_sites - 1];
}

const struct code_site *code_at(struct code *code, uint64_t va)
{
	bool is_new;
	struct code_site *site = get_site(code, va, &is_new);
	uint8_t bytes[INSN_MAX_BYTES];
	const struct mapping *mapping;
	uint32_t other;
	size_t n_bytes;

	if (!is_new && site->checked == code->generation && !site->is_mutable && !code->is_volatile)
		return site;
	n_bytes = process_read(code->process, va, bytes, sizeof(bytes));
	if (!code->is_volatile)
		refresh_mappings(code);
	mapping = code->is_volatile ? NULL : mapping_find(&code->mappings, va);
	site->is_mutable = !mapping || mapping->writable || mapping->shared;
	site->checked = code->generation;
	if (!is_new && site->insn.length && n_bytes >= site->insn.length &&
	    memcmp(bytes, site->insn.bytes, site->insn.length) == 0) {
		/* A backend may have found another instruction here in the meantime. */
		va_map_set(&code->insn_at, va, site->index);
		return site;
	}
	if (!is_new && site->is_vsyscall)
		return site;
	if (!insn_decode(bytes, n_bytes, &site->insn))
		memset(&site->insn, 0, sizeof(site->insn));
	rseq_sections_note(code->sections, va, &site->insn);
	rseq_sections_look(code->sections, code->process);
	if (is_new)
		site->is_vsyscall = va >= VSYSCALL_START && va < VSYSCALL_END;
	site->index = identify(code, va, &site->insn, site->is_vsyscall, &other);
	return site;
}

uint32_t code_index(struct code *code, uint64_t va, const struct insn *insn)
{
	uint32_t other, index = identify(code, va, insn, false, &other), site;

	if (other == VA_MAP_NONE || other == index)
		return index;
	site = va_map_get(&code->site_at, va);
	if (site != VA_MAP_NONE)
		code->sites[site].checked = 0;
	return index;
}
