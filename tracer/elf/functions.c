#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "elf/private.h"

struct function_search {
	const struct elf_file *file;
	elf_symbol_predicate *matches;
	void *context;
	struct function_list *list;
	uint64_t names_budget_bytes;
};

static bool find_address(const struct elf_file *file, const GElf_Sym *symbol, uint64_t *file_va)
{
	GElf_Shdr header;

	*file_va = symbol->st_value;
	if (!file->is_object)
		return true;
	if (!gelf_getshdr(elf_getscn(file->elf, symbol->st_shndx), &header) || symbol->st_value >= header.sh_size)
		return false;
	*file_va += header.sh_offset;
	return true;
}

/* Assemblers give symbols no type by default, so any label in code may be a function. Sets *file_va. */
static bool is_function(const struct elf_file *file, const GElf_Sym *symbol, uint64_t *file_va)
{
	unsigned char type = GELF_ST_TYPE(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF || !find_address(file, symbol, file_va) ||
	    !elf_file_code_segment(file, *file_va))
		return false;
	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

static void read_symbol(struct function_search *search, const GElf_Sym *symbol, uint64_t file_va, const char *name)
{
	size_t n_bytes = strnlen(name, ELF_MAX_SYMBOL_BYTES);
	const char *version = memchr(name, '@', n_bytes);
	char unversioned[ELF_MAX_SYMBOL_BYTES];
	struct function_symbol *function;

	if (n_bytes == ELF_MAX_SYMBOL_BYTES)
		return;
	if (version)
		n_bytes = (size_t)(version - name);
	memcpy(unversioned, name, n_bytes);
	unversioned[n_bytes] = '\0';
	if (n_bytes == 0 || n_bytes >= search->names_budget_bytes || !search->matches(unversioned, search->context))
		return;
	search->names_budget_bytes -= n_bytes;
	function = ARRAY_ADD(search->list, functions);
	function->file_va = file_va;
	function->size_bytes = symbol->st_size;
	function->is_ifunc = GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC;
	function->symbol = xstrdup(unversioned);
}

/* Reads the first table of this type. The ELF specification allows only one. */
static void search_table(struct function_search *search, GElf_Word type)
{
	uint64_t budget_bytes = UINT64_MAX; /* no limit: each table is read once */
	Elf *elf = search->file->elf;
	struct elf_section section = {0};
	Elf_Data *data = NULL;
	GElf_Sym symbol;

	if (elf_section_next(elf, type, NULL, &section))
		data = elf_file_section_data(&section, &budget_bytes);
	for (int i = 1; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name;
		uint64_t file_va;

		if (!is_function(search->file, &symbol, &file_va))
			continue;
		name = elf_strptr(elf, section.header.sh_link, symbol.st_name);
		if (name)
			read_symbol(search, &symbol, file_va, name);
	}
}

/* Orders by address and name. If both tables have a function, the entry that states its size comes first. */
static int compare_functions(const void *left, const void *right)
{
	const struct function_symbol *a = left, *b = right;

	return ORDER(a->file_va, b->file_va) ?: strcmp(a->symbol, b->symbol)
	       ?: (a->size_bytes == 0) - (b->size_bytes == 0);
}

bool elf_symbol_is(const char *symbol, void *name)
{
	return strcmp(symbol, name) == 0;
}

void elf_file_functions_init(const struct elf_file *file, elf_symbol_predicate *matches, void *context,
			     struct function_list *list)
{
	struct function_search search = {
		.file = file,
		.matches = matches,
		.context = context,
		.list = list,
		.names_budget_bytes = ELF_SYMBOL_NAMES_BUDGET_BYTES,
	};
	size_t n_kept = 0;

	*list = (struct function_list){0};
	search_table(&search, SHT_SYMTAB);
	search_table(&search, SHT_DYNSYM);
	if (list->n_functions > 0)
		qsort(list->functions, list->n_functions, sizeof(*list->functions), compare_functions);
	for (size_t i = 0; i < list->n_functions; i++) {
		const struct function_symbol *function = &list->functions[i];
		const struct function_symbol *last = n_kept > 0 ? &list->functions[n_kept - 1] : NULL;

		if (last && last->file_va == function->file_va && strcmp(last->symbol, function->symbol) == 0)
			free(function->symbol);
		else
			list->functions[n_kept++] = *function;
	}
	list->n_functions = n_kept;
}

void elf_file_functions_deinit(struct function_list *list)
{
	for (size_t i = 0; i < list->n_functions; i++)
		free(list->functions[i].symbol);
	free(list->functions);
	*list = (struct function_list){0};
}
