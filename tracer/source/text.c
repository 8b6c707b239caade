#include "source/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

#define MAX_TEXT_BYTES ((off_t)64 << 20) /* generated sources reach some megabytes */

struct content {
	char *bytes; /* [n_bytes], followed by a zero byte; NULL: not read */
	size_t n_bytes;
	uint64_t hash;
	int64_t modified_ns; /* since 1970 */
};

static int64_t modified_ns(const struct stat *status)
{
	return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

/* FNV-1a of 64 bits (Fowler, Noll, Vo). A profile uses 0 for "no hash". */
static uint64_t hash(const char *bytes, size_t n_bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n_bytes; i++)
		hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(0x100000001b3);
	return hash ? hash : 1;
}

static bool read_bytes(int fd, char *bytes, size_t n_bytes)
{
	for (ssize_t n; n_bytes > 0; bytes += n, n_bytes -= (size_t)n) {
		n = read(fd, bytes, n_bytes);
		if (n <= 0)
			return false;
	}
	return true;
}

static bool read_content(const char *path, struct content *content)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;

	*content = (struct content){0};
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MAX_TEXT_BYTES) {
		content->n_bytes = (size_t)status.st_size;
		content->bytes = xcalloc(content->n_bytes + 1, 1);
		if (read_bytes(fd, content->bytes, content->n_bytes)) {
			content->hash = hash(content->bytes, content->n_bytes);
			content->modified_ns = modified_ns(&status);
		} else {
			free(content->bytes);
			content->bytes = NULL;
		}
	}
	if (fd >= 0)
		close(fd);
	return content->bytes;
}

/* The text takes ownership of the bytes. */
static void split(struct content *content, struct source_text *text)
{
	char *end = content->bytes + content->n_bytes;
	const char **lines = NULL;
	size_t n_lines = 0, capacity = 0;

	for (char *line = content->bytes, *line_end; line < end; line = line_end + 1) {
		line_end = memchr(line, '\n', (size_t)(end - line));
		if (!line_end)
			line_end = end;
		*line_end = '\0';
		lines = array_grow(lines, &capacity, n_lines + 1, sizeof(*lines));
		lines[n_lines++] = line;
	}
	*text = (struct source_text){.lines = lines, .n_lines = n_lines, .bytes = content->bytes};
}

static enum source_text_state state_of(const struct profile_file *file, const struct content *content)
{
	if (file->text_hash && file->text_hash != content->hash)
		return SOURCE_CHANGED_SINCE_RUN;
	return file->is_newer ? SOURCE_NEWER : SOURCE_SAME;
}

static void text_deinit(struct source_text *text)
{
	free(text->bytes);
	free((void *)text->lines);
}

/* Takes the file at the path if it fits better than the current one. */
static void try_path(const char *path, const struct profile_file *file, struct source_text *text)
{
	enum source_text_state state;
	struct content content;

	if (text->state == SOURCE_SAME || !read_content(path, &content))
		return;
	state = state_of(file, &content);
	if (text->state != SOURCE_MISSING && state != SOURCE_SAME) {
		free(content.bytes);
		return;
	}
	text_deinit(text);
	split(&content, text);
	text->state = state;
}

static void try_folder(const char *folder, const struct profile_file *file, struct source_text *text)
{
	for (const char *tail = file->path; tail && text->state != SOURCE_SAME; tail = strchr(tail, '/')) {
		char *path;

		tail += strspn(tail, "/");
		path = xasprintf("%s/%s", folder, tail);
		try_path(path, file, text);
		free(path);
	}
}

struct source_text *source_texts_create(const struct profile *profile, const char *const *folders, size_t n_folders)
{
	struct source_text *texts = xcalloc(profile->n_files, sizeof(*texts));

	for (size_t i = 0; i < profile->n_files; i++) {
		try_path(profile->files[i].path, &profile->files[i], &texts[i]);
		for (size_t k = 0; k < n_folders; k++)
			try_folder(folders[k], &profile->files[i], &texts[i]);
	}
	return texts;
}

void source_texts_destroy(struct source_text *texts, size_t n_texts)
{
	for (size_t i = 0; texts && i < n_texts; i++)
		text_deinit(&texts[i]);
	free(texts);
}

/* For each file, the modification time of the oldest module that has code from it: [n_files] in ns since 1970. */
static int64_t *find_build_times(const struct profile *profile)
{
	int64_t *modules = xcalloc(profile->n_modules, sizeof(*modules));
	int64_t *files = xcalloc(profile->n_files, sizeof(*files));

	for (size_t i = 0; i < profile->n_modules; i++) {
		struct stat status;

		modules[i] = stat(profile->modules[i].path, &status) == 0 ? modified_ns(&status) : INT64_MAX;
	}
	for (size_t i = 0; i < profile->n_files; i++)
		files[i] = INT64_MAX;
	for (size_t i = 0; i < profile->n_insns; i++) {
		const struct profile_insn *insn = &profile->insns[i];
		uint32_t file = profile->locations[insn->location].file;

		if (file != PROFILE_NONE && insn->module != PROFILE_NONE && modules[insn->module] < files[file])
			files[file] = modules[insn->module];
	}
	free(modules);
	return files;
}

void source_texts_record(struct profile *profile)
{
	int64_t *built_ns = find_build_times(profile);

	for (size_t i = 0; i < profile->n_files; i++) {
		struct profile_file *file = &profile->files[i];
		struct content content;

		if (!read_content(file->path, &content))
			continue;
		file->text_hash = content.hash;
		file->is_newer = content.modified_ns > built_ns[i];
		free(content.bytes);
	}
	free(built_ns);
}
