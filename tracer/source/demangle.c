#include "source/location.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The C++ demangler recurses over the name. With 8 MiB of stack, no name of 30,000 bytes overflowed it and some of
 * 60,000 did (16,731 repeated patterns tried). Its default limit of 1,024 bytes is too short for heavy templates. The
 * Rust demangler keeps its default limit, because Rust names can refer to themselves. */
#define MAX_MANGLED_BYTES (16u << 10)

/* Substitutions can make the demangled name of a few hundred bytes arbitrarily long. */
#define MAX_DEMANGLED_BYTES (256u << 10)

struct demangled {
	char *text;
	size_t n_text, text_capacity;
	jmp_buf too_long;
};

static void append(const char *piece, size_t n_bytes, void *context)
{
	struct demangled *name = context;

	if (n_bytes == 0)
		return; /* `piece` may be NULL here */
	if (name->n_text + n_bytes >= MAX_DEMANGLED_BYTES)
		longjmp(name->too_long, 1);
	name->text = array_reserve(name->text, &name->text_capacity, name->n_text + n_bytes + 1, 1);
	memcpy(name->text + name->n_text, piece, n_bytes);
	name->n_text += n_bytes;
	name->text[name->n_text] = '\0';
}

/* Tries Rust first: names of its older scheme are also valid C++ names, with a hash and escapes in them. */
static bool demangle(struct demangled *name, const char *symbol)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(name->too_long))
		return false;
	if (rust_demangle_callback(symbol, options, append, name))
		return true;
	name->n_text = 0;
	return cplus_demangle_v3_callback(symbol, options | DMGL_NO_RECURSE_LIMIT, append, name) != 0;
}

char *source_demangle(const char *symbol)
{
	struct demangled name = {0};

	if (symbol[0] != '_' || strnlen(symbol, MAX_MANGLED_BYTES + 1) > MAX_MANGLED_BYTES)
		return NULL;
	if (demangle(&name, symbol) && name.n_text > 0)
		return name.text;
	free(name.text);
	return NULL;
}
