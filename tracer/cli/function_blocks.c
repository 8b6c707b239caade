#include "cli/function_blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "decode/insn.h"
#include "elf/file.h"
#include "source/location.h"
#include "source/function_name.h"
#include "source/search.h"

#define FUNCTION_MAX_BYTES (64u << 20) /* a larger size means a damaged file */

static bool fits_pattern(const char *symbol, void *context)
{
	char *demangled = source_demangle(symbol);
	bool fits_pattern = function_pattern_is_name(context, demangled ? demangled : symbol);

	free(demangled);
	return fits_pattern;
}

/* The functions with this symbol; if there are none, the functions that the name stands for. An object file has symbols
 * only. */
static void find_functions(const struct elf_file *file, const char *path, const char *name, struct function_list *list)
{
	struct error ignored = {0};
	struct elf_file *linked = elf_file_open(path, &ignored);
	struct source *source = source_create();
	struct function_finder finder = source_function_finder(source);
	struct function_pattern pattern;

	function_pattern_init(&pattern, name);
	elf_file_functions_init(file, elf_symbol_is, (void *)(uintptr_t)name, list);
	if (!list->n_functions && linked)
		finder.find(finder.context, path, true, name, list);
	else if (!list->n_functions)
		elf_file_functions_init(file, fits_pattern, &pattern, list);
	function_pattern_deinit(&pattern);
	source_destroy(source);
	elf_file_close(linked);
}

static bool read_code(struct function_blocks *out, const char *path, uint64_t offset_bytes, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot open %s", path);
	n = pread(fd, out->bytes, out->n_bytes, (off_t)offset_bytes);
	close(fd);
	if (n < 0)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot read %s", path);
	out->n_bytes = (size_t)n;
	return true;
}

/* The offset of the function's code in the file. */
static bool locate(const struct elf_file *file, const struct function_symbol *symbol, uint64_t *offset_bytes)
{
	size_t n_segments;
	const struct elf_segment *segments = elf_file_segments(file, &n_segments);

	for (size_t i = 0; i < n_segments; i++) {
		uint64_t into = symbol->file_va - segments[i].file_va;

		if (symbol->file_va >= segments[i].file_va && into < segments[i].file_bytes &&
		    symbol->size_bytes <= segments[i].file_bytes - into) {
			*offset_bytes = segments[i].offset_bytes + into;
			return true;
		}
	}
	return false;
}

/* begins[n_bytes + INSN_MAX_BYTES + 1]: set where a block begins. */
static bool find_begins(const struct function_blocks *out, bool *begins, struct error *err)
{
	struct insn insn;

	begins[0] = true;
	for (size_t at = 0; at < out->n_bytes; at += insn.length) {
		int64_t target;

		if (!insn_decode(out->bytes + at, out->n_bytes - at, &insn))
			return error_set(err, ERROR_USAGE, "no instruction begins at byte %zu of the function", at);
		if (insn.flow == FLOW_NEXT)
			continue;
		begins[at + insn.length] = true;
		target = (int64_t)(at + insn.length) + insn.displacement;
		if ((insn.flow == FLOW_BRANCH || insn.flow == FLOW_JUMP) && target >= 0 &&
		    target < (int64_t)out->n_bytes)
			begins[target] = true;
	}
	return true;
}

static bool split(struct function_blocks *out, struct error *err)
{
	bool *begins = xcalloc(out->n_bytes + INSN_MAX_BYTES + 1, sizeof(*begins));
	bool ok = find_begins(out, begins, err);
	size_t start = 0;

	for (size_t at = 1; ok && at <= out->n_bytes; at++)
		if (begins[at] || at == out->n_bytes) {
			*ARRAY_ADD(out, blocks) = (struct function_block){start, at - start};
			start = at;
		}
	free(begins);
	return ok;
}

static bool read_function(struct function_blocks *out, const char *path, const struct elf_file *file,
			  const struct function_symbol *symbol, struct error *err)
{
	uint64_t offset_bytes;

	if (!symbol->size_bytes || symbol->size_bytes > FUNCTION_MAX_BYTES || !locate(file, symbol, &offset_bytes))
		return error_set(err, ERROR_USAGE, "the size or the code of %s in %s is unknown", symbol->symbol, path);
	out->va = elf_file_is_object(file) ? 0 : symbol->file_va;
	out->n_bytes = symbol->size_bytes;
	out->bytes = xcalloc(out->n_bytes, 1);
	return read_code(out, path, offset_bytes, err) && split(out, err);
}

bool function_blocks_init(struct function_blocks *out, const char *path, const char *function, struct error *err)
{
	struct elf_file *file = elf_file_open_any(path, err);
	struct function_list list;
	bool ok;

	*out = (struct function_blocks){0};
	if (!file)
		return false;
	find_functions(file, path, function, &list);
	if (!list.n_functions)
		ok = error_set(err, ERROR_USAGE, "%s has no function %s", path, function);
	else if (list.functions[0].file_va != list.functions[list.n_functions - 1].file_va)
		ok = error_set(err, ERROR_USAGE, "%s has %zu functions %s, such as %s and %s; name one of them", path,
			       list.n_functions, function, list.functions[0].symbol,
			       list.functions[list.n_functions - 1].symbol);
	else
		ok = read_function(out, path, file, &list.functions[0], err);
	elf_file_functions_deinit(&list);
	elf_file_close(file);
	if (!ok)
		function_blocks_deinit(out);
	return ok;
}

void function_blocks_deinit(struct function_blocks *blocks)
{
	free(blocks->bytes);
	free(blocks->blocks);
	*blocks = (struct function_blocks){0};
}
