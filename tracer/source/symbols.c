#include "source/symbols.h"

#include <dwarf.h>
#include <string.h>

#include "base/array.h"
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

/* Where the code ends that the section holds; 0: it holds none. */
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
			.rank = rank,
			.name = xasprintf("%.*s", (int)strcspn(name, "@"), name), /* without @VERSION */
		};
	}
}

/* Reads the start and size of each function in .eh_frame. On x86-64, compilers encode both in 4 bytes, the start relative to
 * its own place (DW_EH_PE_pcrel | DW_EH_PE_sdata4). */
static void read_unwind_table(Elf *elf, struct symbol_table *table)
{
	struct elf_section section = {0};
	Dwarf_Off offset = 0, next;
	Dwarf_CFI_Entry entry;
	Elf_Data *data;

	if (!elf_section_next(elf, SHT_NULL, ".eh_frame", &section) || section.header.sh_type == SHT_NOBITS)
		return;
	data = elf_getdata(section.handle, NULL);
	for (; data &&
	       dwarf_next_cfi((const unsigned char *)elf_getident(elf, NULL), data, true, offset, &next, &entry) == 0;
	     offset = next) {
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
	GElf_Addr bias; /* 0: the module lies where it was linked */
	Elf *elf = dwfl_module_getelf(module, &bias);

	if (!elf)
		return;
	read_named(module, table);
	symbols_read_plt(elf, table);
	read_unwind_table(elf, table);
}
