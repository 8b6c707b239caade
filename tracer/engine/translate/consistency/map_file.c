#include "engine/translate/consistency/map_file.h"

#include <stdlib.h>
#include <string.h>

/* Linux reads whole mappings into a buffer of one page, and stops before a mapping that would fill it. */
enum { BUFFER_BYTES = 4096 };

/* The text of one mapping. Its first line begins with its addresses; the further lines, in smaps, begin with capital
 * letters. */
struct record {
	const char *text;
	size_t n_bytes;
	uint64_t start_va, end_va;
};

/* Finds the first record at or after *at, and moves *at to the end of that record. */
static bool next_record(const char **at, struct record *record)
{
	const char *end = *at;
	char *rest;

	if (!*end)
		return false;
	*record = (struct record){.text = *at};
	record->start_va = strtoull(*at, &rest, 16);
	if (*rest == '-')
		record->end_va = strtoull(rest + 1, NULL, 16);
	do {
		end += strcspn(end, "\n");
		end += *end == '\n';
	} while (*end >= 'A' && *end <= 'Z');
	record->n_bytes = (size_t)(end - *at);
	*at = end;
	return true;
}

static void set_rest(struct map_file *file, const char *bytes, size_t n_bytes)
{
	char *rest = n_bytes ? strndup(bytes, n_bytes) : NULL;

	free(file->rest);
	file->rest = rest;
}

void map_file_deinit(struct map_file *file)
{
	set_rest(file, NULL, 0);
}

size_t map_file_read(struct map_file *file, const char *text, char *bytes, size_t n_bytes)
{
	size_t n_rest = file->rest ? strlen(file->rest) : 0, n = n_rest < n_bytes ? n_rest : n_bytes, n_buffered = 0;
	struct record record;

	if (n)
		memcpy(bytes, file->rest, n);
	if (n)
		set_rest(file, file->rest + n, n_rest - n);
	while (n < n_bytes && next_record(&text, &record)) {
		size_t n_taken = record.n_bytes < n_bytes - n ? record.n_bytes : n_bytes - n;

		if (record.end_va <= file->next_va)
			continue;
		if (n_buffered && n_buffered + record.n_bytes >= BUFFER_BYTES)
			break;
		n_buffered += record.n_bytes;
		memcpy(bytes + n, record.text, n_taken);
		n += n_taken;
		set_rest(file, record.text + n_taken, record.n_bytes - n_taken);
		file->next_va = record.end_va;
	}
	file->position += n;
	return n;
}

void map_file_seek(struct map_file *file, const char *text, uint64_t position)
{
	struct record record;

	set_rest(file, NULL, 0);
	file->next_va = 0;
	file->position = position;
	while (position && next_record(&text, &record)) {
		size_t n_passed = record.n_bytes < position ? record.n_bytes : position;

		position -= n_passed;
		file->next_va = record.end_va;
		set_rest(file, record.text + n_passed, record.n_bytes - n_passed);
	}
}

void map_file_remove(char *text, bool (*is_removed)(const void *context, uint64_t start_va, uint64_t end_va),
		     const void *context)
{
	const char *at = text;
	struct record record;

	while (next_record(&at, &record)) {
		if (is_removed(context, record.start_va, record.end_va))
			continue;
		memmove(text, record.text, record.n_bytes);
		text += record.n_bytes;
	}
	*text = '\0';
}
