#include "engine/translate/consistency/map_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "engine/translate/consistency/native_syscalls.h"
#include "engine/translate/translator.h"

/* Linux collects the text of whole mappings in a buffer of one page, which they must not fill. */
enum { BUFFER_BYTES = 4096 };

/* The text of a mapping: a line that begins with its addresses; in smaps, lines that begin with capital letters
 * follow. */
struct record {
	const char *text;
	size_t n_bytes;
	uint64_t start_va, end_va;
};

/* Reads the next record and moves *at behind it. False at the end. */
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

/* Removes the cache's mappings from a text. */
static void leave_out(const struct cache *cache, char *text)
{
	const char *at = text;
	struct record record;

	while (next_record(&at, &record)) {
		if (cache_overlaps(cache, record.start_va, record.end_va))
			continue;
		memmove(text, record.text, record.n_bytes);
		text += record.n_bytes;
	}
	*text = '\0';
}

static struct map_file *find_file(struct translator *translator, int fd)
{
	for (size_t i = 0; i < translator->changes.n_map_files; i++)
		if (translator->changes.map_files[i].fd == fd)
			return &translator->changes.map_files[i];
	*ARRAY_ADD(&translator->changes, map_files) = (struct map_file){.fd = fd};
	return &translator->changes.map_files[translator->changes.n_map_files - 1];
}

/* Replaces the bytes that the program read, and moves the file's position behind them. */
static void read_again(struct translator *translator, const struct task *task, const char *text,
		       struct target_regs *after)
{
	const struct cache *cache = &translator->cache;
	bool moves = task->before.rax == SYS_read;
	int fd = (int)task->before.rdi;
	struct map_file *file = find_file(translator, fd);
	size_t n_text = strlen(text), n_read;
	size_t n_bytes = task->before.rdx < n_text ? task->before.rdx : n_text;
	uint64_t now = 0, from = task->before.r10;
	int64_t ignored;
	char *bytes;

	if (moves && !thread_descriptor_position(task->thread, fd, &now))
		return;
	if (moves)
		from = now - after->rax;
	if (file->position != from)
		map_file_seek(file, text, from);
	bytes = xcalloc(1, n_bytes + 1);
	n_read = map_file_read(file, text, bytes, n_bytes);
	if (process_write(task->thread->process, task->before.rsi, bytes, n_read)) {
		after->rax = n_read;
		thread_set_regs(task->thread, after);
		if (moves && now != file->position)
			thread_call(translator->engine->target, task->thread, cache->syscall_va, SYS_lseek,
				    (uint64_t[6]){(uint64_t)fd, file->position, SEEK_SET}, &ignored);
	}
	free(bytes);
}

void map_files_after_read(struct translator *translator, struct task *task, struct target_regs *after)
{
	bool reads = task->before.rax == SYS_read || task->before.rax == SYS_pread64;
	char *text;

	if (!translator->changes.has_map_file || !reads || (int64_t)after->rax < 0 || !translator->cache.n_areas)
		return;
	if (!thread_descriptor_proc_files(task->thread, (int)task->before.rdi).map) {
		if (!thread_proc_files(task->thread).map)
			native_syscalls_step_reads(translator, false);
		return;
	}
	text = thread_read_file(task->thread, (int)task->before.rdi);
	if (!text)
		return;
	leave_out(&translator->cache, text);
	read_again(translator, task, text, after);
	free(text);
}

void map_files_forget(struct translator *translator)
{
	for (size_t i = 0; i < translator->changes.n_map_files; i++)
		map_file_deinit(&translator->changes.map_files[i]);
	free(translator->changes.map_files);
	translator->changes.map_files = NULL;
	translator->changes.n_map_files = translator->changes.map_files_capacity = 0;
	translator->changes.has_map_file = false;
}
