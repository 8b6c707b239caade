#include "source/elf_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MAX_NAME_BYTES (64u << 10) /* longer ones are damage; what demanglers take is shorter still */

/* Where each section's code ends; 0 for sections without code. */
struct code_ends {
	uint64_t *ends;
	size_t n_ends;
};

static void code_ends_init(struct code_ends *code, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	*code = (struct code_ends){0};
	if (elf_getshdrnum(elf, &code->n_ends) < 0)
		code->n_ends = 0;
	code->ends = xcalloc(code->n_ends, sizeof(*code->ends));
	while ((section = elf_nextscn(elf, section))) {
		size_t i = elf_ndxscn(section);

		if (i < code->n_ends && gelf_getshdr(section, &header) && (header.sh_flags & SHF_EXECINSTR) &&
		    header.sh_addr <= UINT64_MAX - header.sh_size)
			code->ends[i] = header.sh_addr + header.sh_size;
	}
}

static bool rank_of(const GElf_Sym *entry, enum symbol_rank *rank)
{
	switch (GELF_ST_TYPE(entry->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		switch (GELF_ST_BIND(entry->st_info)) {
		case STB_LOCAL:
			*rank = SYMBOL_LOCAL;
			return true;
		case STB_WEAK:
			*rank = SYMBOL_WEAK;
			return true;
		default:
			*rank = SYMBOL_GLOBAL;
			return true;
		}
	case STT_NOTYPE:
		*rank = SYMBOL_LABEL;
		return true;
	default:
		return false;
	}
}

void elf_symbols_add(struct symbol_table *table, uint64_t start_va, uint64_t size_bytes, uint64_t section_end_va,
		     const char *name, enum symbol_rank rank)
{
	size_t name_bytes = name ? strnlen(name, MAX_NAME_BYTES) : 0;
	const char *version = name ? memchr(name, '@', name_bytes) : NULL;
	struct symbol *symbol;

	if (version)
		name_bytes = (size_t)(version - name);
	if (name_bytes == 0 || name_bytes == MAX_NAME_BYTES || start_va >= section_end_va ||
	    size_bytes > UINT64_MAX - start_va)
		return;
	symbol = ARRAY_ADD(table, symbols);
	symbol->start_va = start_va;
	symbol->end_va = size_bytes ? start_va + size_bytes : section_end_va;
	symbol->name = name;
	symbol->name_bytes = name_bytes;
	symbol->has_size = size_bytes > 0;
	symbol->rank = rank;
}

static void read_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct symbol_table *table)
{
	Elf_Data *data = elf_getdata(section, NULL);
	struct code_ends code;
	enum symbol_rank rank;
	GElf_Sym entry;

	code_ends_init(&code, elf);
	for (int i = 1; data && gelf_getsym(data, i, &entry); i++)
		if (rank_of(&entry, &rank) && entry.st_shndx != SHN_UNDEF && entry.st_shndx < code.n_ends)
			elf_symbols_add(table, entry.st_value, entry.st_size, code.ends[entry.st_shndx],
					elf_strptr(elf, header->sh_link, entry.st_name), rank);
	free(code.ends);
}

bool elf_symbols_read(Elf *elf, GElf_Word type, struct symbol_table *table)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &header) && header.sh_type == type) {
			read_table(elf, section, &header, table);
			return true;
		}
	}
	return false;
}
