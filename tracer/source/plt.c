#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "elf/section.h"
#include "source/symbols.h"

/* A slot of the global offset table, where the dynamic loader puts the address of a function. */
struct slot {
	UT_hash_handle hh;
	uint64_t file_va;
	const char *name;
};

struct plt {
	struct slot *slots; /* hash by file_va */
	const char *
		*pushed; /* [n_pushed] by index in .rela.plt, which entries push for the loader; NULL: not a function */
	size_t n_pushed, pushed_capacity;
};

static void add_slot(struct plt *plt, uint64_t file_va, const char *name)
{
	struct slot *slot;

	HASH_FIND(hh, plt->slots, &file_va, sizeof(file_va), slot);
	if (slot)
		return;
	slot = xcalloc(1, sizeof(*slot));
	slot->file_va = file_va;
	slot->name = name;
	HASH_ADD(hh, plt->slots, file_va, sizeof(file_va), slot);
}

static void read_relocations(struct plt *plt, Elf *elf, const struct elf_section *section)
{
	Elf_Scn *symbols = elf_getscn(elf, section->header.sh_link);
	Elf_Data *relocations = elf_getdata(section->handle, NULL), *symbol_data = elf_getdata(symbols, NULL);
	bool of_plt = strcmp(section->name, ".rela.plt") == 0;
	GElf_Shdr header;
	GElf_Rela entry;

	if (!gelf_getshdr(symbols, &header) || header.sh_type != SHT_DYNSYM)
		return;
	for (int i = 0; gelf_getrela(relocations, i, &entry); i++) {
		GElf_Xword type = GELF_R_TYPE(entry.r_info);
		const char *name = NULL;
		GElf_Sym symbol;

		if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) && GELF_R_SYM(entry.r_info) != 0 &&
		    gelf_getsym(symbol_data, (int)GELF_R_SYM(entry.r_info), &symbol))
			name = elf_strptr(elf, header.sh_link, symbol.st_name);
		if (name && *name)
			add_slot(plt, entry.r_offset, name);
		if (of_plt)
			*ARRAY_ADD(plt, pushed) = name;
	}
}

/* The name of the function that the entry at file_va jumps to, or NULL. Entries are, with or without endbr64 before:
 * jmp *slot(%rip), that with a bnd prefix, or a push of the number for the loader (System V ABI for x86-64, 5.2). */
static const char *entry_name(const struct plt *plt, uint64_t file_va, const uint8_t *bytes, size_t n_bytes)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint64_t slot_va;
	struct slot *slot;
	uint32_t operand;
	size_t at = 0;

	if (memcmp(bytes, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (at < n_bytes && bytes[at] == 0xf2)
		at++;
	if (n_bytes - at >= 5 && bytes[at] == 0x68) {
		memcpy(&operand, bytes + at + 1, sizeof(operand));
		return operand < plt->n_pushed ? plt->pushed[operand] : NULL;
	}
	if (n_bytes - at < 6 || bytes[at] != 0xff || bytes[at + 1] != 0x25)
		return NULL;
	memcpy(&operand, bytes + at + 2, sizeof(operand));
	slot_va = file_va + at + 6 + (uint64_t)(int32_t)operand;
	HASH_FIND(hh, plt->slots, &slot_va, sizeof(slot_va), slot);
	return slot ? slot->name : NULL;
}

static void read_entries(const struct plt *plt, const struct elf_section *section, struct symbol_table *table)
{
	size_t entry_bytes = section->header.sh_entsize == 8 ? 8
							     : 16; /* .plt.got without endbr64: 8; lld states no size */
	Elf_Data *data = elf_getdata(section->handle, NULL);

	if (!data || !data->d_buf)
		return;
	for (size_t offset = 0; data->d_size - offset >= entry_bytes; offset += entry_bytes) {
		uint64_t file_va = section->header.sh_addr + offset;
		const char *name = entry_name(plt, file_va, (const uint8_t *)data->d_buf + offset, entry_bytes);

		if (name)
			*ARRAY_ADD(table, symbols) = (struct symbol){
				.start_va = file_va,
				.end_va = file_va + entry_bytes,
				.has_size = true,
				.rank = SYMBOL_PLT,
				.name = xasprintf("%.*s", (int)strcspn(name, "@"), name),
			};
	}
}

void symbols_read_plt(Elf *elf, struct symbol_table *table)
{
	struct elf_section section = {0};
	struct plt plt = {0};

	while (elf_section_next(elf, SHT_RELA, NULL, &section))
		read_relocations(&plt, elf, &section);
	while (elf_section_next(elf, SHT_PROGBITS, NULL, &section))
		if (strncmp(section.name, ".plt", 4) == 0)
			read_entries(&plt, &section, table);
	HASH_FREE(plt.slots);
	free(plt.pushed);
}
