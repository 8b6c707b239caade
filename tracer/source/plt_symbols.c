#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "source/elf_symbols.h"

/* A slot of the global offset table, and the function whose address the dynamic loader puts there. */
struct slot {
	uint64_t file_va;
	const char *name;
};

struct plt {
	struct slot *slots; /* ascending by file_va */
	size_t n_slots, slots_capacity;
	const char **pushed; /* [n_pushed] by index in .rela.plt, which an entry pushes for the loader; may be NULL */
	size_t n_pushed, pushed_capacity;
};

/* The relocations of one SHT_RELA section and the symbols that they refer to. */
struct relocations {
	Elf *elf;
	Elf_Data *data, *symbols;
	GElf_Word names_section;
};

static bool relocations_open(struct relocations *relocations, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
	GElf_Shdr symbols_header;

	if (!symbols || !gelf_getshdr(symbols, &symbols_header) || symbols_header.sh_type != SHT_DYNSYM)
		return false;
	relocations->elf = elf;
	relocations->data = elf_getdata(section, NULL);
	relocations->symbols = elf_getdata(symbols, NULL);
	relocations->names_section = symbols_header.sh_link;
	return relocations->data && relocations->symbols;
}

static const char *symbol_name(const struct relocations *relocations, const GElf_Rela *relocation)
{
	GElf_Sym symbol;

	if (GELF_R_SYM(relocation->r_info) == 0 ||
	    !gelf_getsym(relocations->symbols, (int)GELF_R_SYM(relocation->r_info), &symbol))
		return NULL;
	return elf_strptr(relocations->elf, relocations->names_section, symbol.st_name);
}

static void read_relocations(struct plt *plt, const struct relocations *relocations, bool of_plt)
{
	GElf_Rela relocation;

	for (int i = 0; gelf_getrela(relocations->data, i, &relocation); i++) {
		GElf_Xword type = GELF_R_TYPE(relocation.r_info);
		const char *name = NULL;
		struct slot *slot;

		if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT)
			name = symbol_name(relocations, &relocation);
		if (of_plt)
			*ARRAY_ADD(plt, pushed) = name;
		if (!name)
			continue;
		slot = ARRAY_ADD(plt, slots);
		slot->file_va = relocation.r_offset;
		slot->name = name;
	}
}

static int compare_slots(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return a->file_va < b->file_va ? -1 : a->file_va > b->file_va;
}

/* The name of the function that the entry at file_va jumps to, or NULL. Entries are, with or without endbr64 before:
 * jmp *slot(%rip), that with a bnd prefix, or a push of the number for the loader (System V ABI for x86-64, 5.2). */
static const char *entry_name(const struct plt *plt, uint64_t file_va, const uint8_t *bytes, size_t n_bytes)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	struct slot wanted, *slot;
	uint32_t operand;
	size_t at = 0;

	if (n_bytes >= sizeof(endbr64) && memcmp(bytes, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	if (at < n_bytes && bytes[at] == 0xf2)
		at++;
	if (n_bytes - at >= 5 && bytes[at] == 0x68) {
		memcpy(&operand, bytes + at + 1, sizeof(operand));
		return operand < plt->n_pushed ? plt->pushed[operand] : NULL;
	}
	if (n_bytes - at < 6 || bytes[at] != 0xff || bytes[at + 1] != 0x25 || plt->n_slots == 0)
		return NULL;
	memcpy(&operand, bytes + at + 2, sizeof(operand));
	wanted.file_va = file_va + at + 6 + (uint64_t)(int32_t)operand;
	slot = bsearch(&wanted, plt->slots, plt->n_slots, sizeof(*plt->slots), compare_slots);
	return slot ? slot->name : NULL;
}

static void read_entries(const struct plt *plt, Elf_Scn *section, const GElf_Shdr *header, struct symbol_table *table)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t entry_bytes = header->sh_entsize == 8 ? 8 : 16; /* .plt.got without endbr64 has 8; lld states no size */

	if (!data || !data->d_buf || header->sh_addr > UINT64_MAX - data->d_size)
		return;
	for (size_t offset = 0; data->d_size - offset >= entry_bytes; offset += entry_bytes) {
		uint64_t file_va = header->sh_addr + offset;

		elf_symbols_add(table, file_va, entry_bytes, header->sh_addr + data->d_size,
				entry_name(plt, file_va, (const uint8_t *)data->d_buf + offset, entry_bytes),
				SYMBOL_PLT);
	}
}

void elf_symbols_read_plt(Elf *elf, struct symbol_table *table)
{
	struct relocations relocations;
	struct plt plt = {0};
	Elf_Scn *section = NULL;
	size_t names_section;
	GElf_Shdr header;

	if (elf_getshdrstrndx(elf, &names_section) < 0)
		return;
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
		    !(name = elf_strptr(elf, names_section, header.sh_name)) ||
		    !relocations_open(&relocations, elf, section, &header))
			continue;
		read_relocations(&plt, &relocations, plt.n_pushed == 0 && strcmp(name, ".rela.plt") == 0);
	}
	if (plt.n_slots > 0)
		qsort(plt.slots, plt.n_slots, sizeof(*plt.slots), compare_slots);
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
		    (name = elf_strptr(elf, names_section, header.sh_name)) && strncmp(name, ".plt", 4) == 0)
			read_entries(&plt, section, &header, table);
	}
	free(plt.slots);
	free(plt.pushed);
}
