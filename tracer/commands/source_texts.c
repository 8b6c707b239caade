#include "commands/source_texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static enum report_source_state state_of(const struct profile_file *file, const struct source_text *text)
{
	bool is_same = memcmp(file->md5, text->md5, PROFILE_MD5_BYTES) == 0;

	if (file->text == TEXT_COMPILED)
		return is_same ? SOURCE_SAME : SOURCE_CHANGED_SINCE_BUILD;
	if (file->text == TEXT_READ && !is_same)
		return SOURCE_CHANGED_SINCE_RUN;
	return file->is_newer ? SOURCE_NEWER : SOURCE_SAME;
}

/* Takes the file at the path if it is better than what there is. */
static void try_path(const char *path, const struct profile_file *file, struct source_text *text,
		     struct report_source *source)
{
	enum report_source_state state;
	struct source_text found;

	if (source->state == SOURCE_SAME || !source_text_read(path, &found))
		return;
	state = state_of(file, &found);
	if (source->state != SOURCE_MISSING && state != SOURCE_SAME) {
		source_text_deinit(&found);
		return;
	}
	source_text_deinit(text);
	*text = found;
	*source = (struct report_source){.state = state, .lines = text->lines, .n_lines = text->n_lines};
}

static void try_folder(const char *folder, const struct profile_file *file, struct source_text *text,
		       struct report_source *source)
{
	for (const char *tail = file->path; tail && source->state != SOURCE_SAME; tail = strchr(tail, '/')) {
		char *path;

		tail += strspn(tail, "/");
		path = xasprintf("%s/%s", folder, tail);
		try_path(path, file, text, source);
		free(path);
	}
}

void source_texts_init(struct source_texts *texts, const struct profile *profile, const char *const *folders,
		       size_t n_folders)
{
	texts->n_files = profile->n_files;
	texts->texts = xcalloc(profile->n_files, sizeof(*texts->texts));
	texts->sources = xcalloc(profile->n_files, sizeof(*texts->sources));
	for (size_t i = 0; i < profile->n_files; i++) {
		const struct profile_file *file = &profile->files[i];

		try_path(file->path, file, &texts->texts[i], &texts->sources[i]);
		for (size_t k = 0; k < n_folders; k++)
			try_folder(folders[k], file, &texts->texts[i], &texts->sources[i]);
	}
}

void source_texts_deinit(struct source_texts *texts)
{
	for (size_t i = 0; i < texts->n_files; i++)
		source_text_deinit(&texts->texts[i]);
	free(texts->texts);
	free(texts->sources);
	*texts = (struct source_texts){0};
}

/* When the oldest module that has code of each file was modified: [n_files]. */
static int64_t *find_built(const struct profile *profile)
{
	int64_t *modules = xcalloc(profile->n_modules, sizeof(*modules));
	int64_t *built = xcalloc(profile->n_files, sizeof(*built));

	for (size_t i = 0; i < profile->n_modules; i++)
		modules[i] = source_text_modified(profile->modules[i].path);
	for (size_t i = 0; i < profile->n_files; i++)
		built[i] = INT64_MAX;
	for (size_t i = 0; i < profile->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[i];
		uint32_t file = profile->locations[insn->location].file;

		if (file != PROFILE_NONE && insn->module != PROFILE_NONE && modules[insn->module] < built[file])
			built[file] = modules[insn->module];
	}
	free(modules);
	return built;
}

void source_texts_record(struct profile *profile)
{
	int64_t *built = find_built(profile);

	for (size_t i = 0; i < profile->n_files; i++) {
		struct profile_file *file = &profile->files[i];
		struct source_text text;

		if (file->text == TEXT_COMPILED || !source_text_read(file->path, &text))
			continue;
		file->text = TEXT_READ;
		memcpy(file->md5, text.md5, PROFILE_MD5_BYTES);
		file->is_newer = text.modified_ns > built[i];
		source_text_deinit(&text);
	}
	free(built);
}
