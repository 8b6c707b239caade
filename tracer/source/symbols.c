#include "source/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "elf/section.h"

static bool rank_of(const GElf_Sym *symbol, enum symbol_rank *rank)
{
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		*rank = GELF_ST_BIND(symbol->st_info) == STB_LOCAL  ? SYMBOL_LOCAL
			: GELF_ST_BIND(symbol->st_info) == STB_WEAK ? SYMBOL_WEAK
								    : SYMBOL_GLOBAL;
		return true;
	case STT_NOTYPE:
		*rank = SYMBOL_LABEL;
		return true;
	default:
		return false;
	}
}

/* Returns the end address of the section's code, or 0 if it has none. */
static uint64_t code_end(Elf *elf, GElf_Word section)
{
	GElf_Shdr header;

	if (!elf || !gelf_getshdr(elf_getscn(elf, section), &header) || !(header.sh_flags & SHF_EXECINSTR))
		return 0;
	return header.sh_addr + header.sh_size;
}

static void read_named(Dwfl_Module *module, struct symbol_table *table)
{
	int n_symbols = dwfl_module_getsymtab(module);

	for (int i = 1; i < n_symbols; i++) {
		GElf_Addr start_va, end_va;
		enum symbol_rank rank;
		GElf_Word section;
		const char *name;
		Dwarf_Addr bias;
		GElf_Sym entry;
		Elf *elf;

		name = dwfl_module_getsym_info(module, i, &entry, &start_va, &section, &elf, &bias);
		if (!name || !*name || *name == '@' || entry.st_shndx == SHN_UNDEF || !rank_of(&entry, &rank))
			continue;
		end_va = code_end(elf, section) + bias;
		if (start_va >= end_va || entry.st_size > UINT64_MAX - start_va)
			continue;
		*ARRAY_ADD(table, symbols) = (struct symbol){
			.start_va = start_va,
			.end_va = entry.st_size ? start_va + entry.st_size : end_va,
			.has_size = entry.st_size > 0,
			.is_ifunc = GELF_ST_TYPE(entry.st_info) == STT_GNU_IFUNC,
			.rank = rank,
			.name = xasprintf("%.*s", (int)strcspn(name, "@"), name), /* without @VERSION */
		};
	}
}

/* A slot of the global offset table. The dynamic loader writes the address of a function into the slot. */
struct slot {
	UT_hash_handle hh;
	uint64_t file_va;
	const char *name;
};

struct plt {
	struct slot *slots; /* hash by file_va */
	/* [n_pushed] names by index in .rela.plt, which PLT entries push for the loader; NULL: not a function */
	const char **pushed;
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
	bool is_plt = strcmp(section->name, ".rela.plt") == 0;
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
		if (is_plt)
			*ARRAY_ADD(plt, pushed) = name;
	}
}

/* Returns the name of the function that the entry at file_va jumps to, or NULL. An entry may start with endbr64. Then
 * comes jmp *slot(%rip), the same with a bnd prefix, or a push of the index for the loader (System V ABI for x86-64,
 * 5.2). */
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

/* The unwind table describes the start of a .plt as a function, but it is not one: the stubs jump there to call the
 * loader. */
static void drop_unnamed(struct symbol_table *table, uint64_t start_va, uint64_t end_va)
{
	for (size_t i = 0; i < table->n_symbols; i++) {
		struct symbol *symbol = &table->symbols[i];

		if (symbol->rank == SYMBOL_UNNAMED && symbol->start_va >= start_va && symbol->start_va < end_va)
			symbol->end_va = symbol->start_va;
	}
}

static void read_entries(const struct plt *plt, const struct elf_section *section, struct symbol_table *table)
{
	/* .plt.got entries without endbr64 have 8 bytes; lld does not state the size. */
	size_t entry_bytes = section->header.sh_entsize == 8 ? 8 : 16;
	Elf_Data *data = elf_getdata(section->handle, NULL);

	if (!data || !data->d_buf)
		return;
	drop_unnamed(table, section->header.sh_addr, section->header.sh_addr + data->d_size);
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

static void read_plt(Elf *elf, struct symbol_table *table)
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

/* Reads the start and size of each function in .eh_frame. On x86-64, compilers encode both in 4 bytes, the start
 * relative to its own place (DW_EH_PE_pcrel | DW_EH_PE_sdata4). */
static void read_unwind_table(Elf *elf, struct symbol_table *table)
{
	struct elf_section section = {0};
	Dwarf_Off offset = 0, next;
	const unsigned char *ident;
	Dwarf_CFI_Entry entry;
	Elf_Data *data;

	if (!elf_section_next(elf, SHT_NULL, ".eh_frame", &section) || section.header.sh_type == SHT_NOBITS)
		return;
	data = elf_getdata(section.handle, NULL);
	ident = (const unsigned char *)elf_getident(elf, NULL);
	for (; data && dwarf_next_cfi(ident, data, true, offset, &next, &entry) == 0; offset = next) {
		uint64_t start_va;
		uint32_t n_bytes;
		int32_t distance;

		if (dwarf_cfi_cie_p(&entry) || entry.fde.end - entry.fde.start < 8)
			continue;
		memcpy(&distance, entry.fde.start, sizeof(distance));
		memcpy(&n_bytes, entry.fde.start + 4, sizeof(n_bytes));
		start_va = section.header.sh_addr + (uint64_t)(entry.fde.start - (const uint8_t *)data->d_buf) +
			   (uint64_t)distance;
		*ARRAY_ADD(table, symbols) = (struct symbol){
			.start_va = start_va,
			.end_va = start_va + n_bytes,
			.has_size = true,
			.rank = SYMBOL_UNNAMED,
		};
	}
}

void symbols_read(Dwfl_Module *module, struct symbol_table *table)
{
	GElf_Addr bias; /* 0, because the module is at its linked address */
	Elf *elf = dwfl_module_getelf(module, &bias);

	if (!elf)
		return;
	read_named(module, table);
	read_unwind_table(elf, table);
	read_plt(elf, table);
}
