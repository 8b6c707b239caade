#include "commands/locate.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* An instruction by module and address: debug information is read unit by unit, and released module by module. */
struct place {
	uint32_t module;
	uint32_t insn;
	uint64_t va;
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->va != b->va)
		return a->va < b->va ? -1 : 1;
	return a->insn < b->insn ? -1 : a->insn > b->insn;
}

static uint32_t intern_path(struct profile *profile, const char *path)
{
	return path ? profile_intern_file(profile, path) : PROFILE_NONE;
}

/* Debug information knows which text was compiled. */
static void note_md5(struct profile_file *file, const uint8_t *md5)
{
	if (!md5 || file->text != TEXT_UNKNOWN)
		return;
	file->text = TEXT_COMPILED;
	memcpy(file->md5, md5, PROFILE_MD5_BYTES);
}

static uint32_t intern_line(struct profile *profile, uint32_t module, const struct source_line *line)
{
	struct profile_location location = {
		.file = intern_path(profile, line->file),
		.line = line->line,
		.column = line->column,
		.inlined = PROFILE_NONE,
	};

	if (location.file != PROFILE_NONE)
		note_md5(&profile->files[location.file], line->md5);
	for (size_t i = 0; i < line->n_calls; i++) {
		const struct source_call *call = &line->calls[i];
		struct profile_inlined inlined = {
			.function = profile_intern_function(profile, call->function, module),
			.caller = location.inlined,
			.file = intern_path(profile, call->file),
			.line = call->line,
			.column = call->column,
		};

		location.inlined = profile_intern_inlined(profile, &inlined);
	}
	return profile_intern_location(profile, &location);
}

static void locate(struct profile *profile, struct source *source, const struct place *place)
{
	const struct profile_module *module = &profile->modules[place->module];
	struct source_line line;

	if (source_find_line(source, module->path, place->va - module->bias, &line))
		profile->insns[place->insn].location = intern_line(profile, place->module, &line);
}

void locate_all(struct profile *profile, struct source *source)
{
	struct place *places = xcalloc(profile->n_insns, sizeof(*places));
	size_t n_places = 0;

	for (uint32_t i = 0; i < profile->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[i];

		if (insn->module != PROFILE_NONE)
			places[n_places++] = (struct place){insn->module, i, insn->va};
	}
	if (n_places > 0)
		qsort(places, n_places, sizeof(*places), compare_places);
	for (size_t i = 0; i < n_places; i++) {
		locate(profile, source, &places[i]);
		if (i + 1 == n_places || places[i + 1].module != places[i].module)
			source_forget_lines(source, profile->modules[places[i].module].path);
	}
	free(places);
}
