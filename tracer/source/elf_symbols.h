/* Reads the function symbols of an ELF file for a symbol table. */
#ifndef ITRACE_SOURCE_ELF_SYMBOLS_H
#define ITRACE_SOURCE_ELF_SYMBOLS_H

#include <gelf.h>

#include "source/symbol_table.h"

/* Appends the functions of the file's table of this type, SHT_SYMTAB or SHT_DYNSYM. False when it has none. Names point
 * into `elf`, which must outlive the table. */
bool elf_symbols_read(Elf *elf, GElf_Word type, struct symbol_table *table);

/* Appends the entries of the procedure linkage table (.plt, .plt.sec, .plt.got) with the names of the functions that
 * they jump to. Names point into `elf`. */
void elf_symbols_read_plt(Elf *elf, struct symbol_table *table);

/* Appends one symbol; size_bytes 0: not stated. Symbols without a name, with one of over 64 KiB, or beyond their
 * section are left out; a name is cut at its @VERSION. */
void elf_symbols_add(struct symbol_table *table, uint64_t start_va, uint64_t size_bytes, uint64_t section_end_va,
		     const char *name, enum symbol_rank rank);

#endif
