#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/path.h"

/* Most symbols with an offset, and the bytes of most instructions, fit these columns. */
#define SYMBOL_COLUMNS 32
#define BYTES_COLUMNS 20

static char *format_symbol(const struct profile *profile, const struct profile_insn *insn)
{
	const struct profile_module *module;
	char *raw, *symbol;

	if (insn->function != PROFILE_NONE) {
		const char *name = profile->functions[insn->function].name;

		raw = insn->function_offset ? xasprintf("%s+0x%" PRIx32, name, insn->function_offset) : xstrdup(name);
	} else if (insn->module != PROFILE_NONE) {
		module = &profile->modules[insn->module];
		raw = xasprintf("%s+0x%" PRIx64, path_file_name(module->path), insn->va - module->bias);
	} else {
		raw = xstrdup("?");
	}
	symbol = escape_text(raw, ESCAPE_FOR_TERMINAL);
	free(raw);
	return symbol;
}

void report_write_trace_line(FILE *out, const struct profile *profile, uint32_t insn, const char *target)
{
	const struct profile_insn *shown = &profile->insns[insn];
	char *symbol = format_symbol(profile, shown), *escaped = NULL;
	size_t columns = escape_count_columns(symbol);
	char bytes[2 * INSN_MAX_BYTES + 1] = "";
	char text[256];

	for (size_t i = 0; i < shown->length; i++)
		sprintf(bytes + 2 * i, "%02x", shown->bytes[i]);
	insn_disassemble(shown->bytes, shown->length, shown->va, text, sizeof(text));
	if (target)
		escaped = escape_text(target, ESCAPE_FOR_TERMINAL);
	fprintf(out, "0x%016" PRIx64 "  %s%*s  %-*s  %s%s%s%s\n", shown->va, symbol,
		columns < SYMBOL_COLUMNS ? (int)(SYMBOL_COLUMNS - columns) : 0, "", BYTES_COLUMNS, bytes, text,
		target ? " <" : "", target ? escaped : "", target ? ">" : "");
	free(symbol);
	free(escaped);
}
