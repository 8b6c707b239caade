#include "engine/translate/consistency/map_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "engine/translate/consistency/native_syscalls.h"

static struct map_file *find_file(struct translator *translator, int fd)
{
	for (size_t i = 0; i < translator->map_files.n_files; i++)
		if (translator->map_files.files[i].fd == fd)
			return &translator->map_files.files[i];
	*ARRAY_ADD(&translator->map_files, files) = (struct map_file){.fd = fd};
	return &translator->map_files.files[translator->map_files.n_files - 1];
}

/* Replaces the bytes that the program read, and moves the file's position to the end of the new bytes. */
static void read_again(struct translator *translator, const struct task *task, const char *text,
		       struct target_regs *after)
{
	const struct cache *cache = &translator->cache;
	bool moves = task->before.rax == SYS_read;
	int fd = (int)task->before.rdi;
	struct map_file *file = find_file(translator, fd);
	size_t n_text = strlen(text), n_read;
	size_t n_bytes = task->before.rdx < n_text ? task->before.rdx : n_text;
	uint64_t end = 0, from = task->before.r10;
	int64_t ignored;
	char *bytes;

	if (moves && !thread_descriptor_position(task->thread, fd, &end))
		return;
	if (moves)
		from = end - after->rax;
	if (file->position != from)
		map_file_seek(file, text, from);
	bytes = xcalloc(1, n_bytes + 1);
	n_read = map_file_read(file, text, bytes, n_bytes);
	if (process_write(task->thread->process, task->before.rsi, bytes, n_read)) {
		after->rax = n_read;
		thread_set_regs(task->thread, after);
		if (moves && end != file->position)
			thread_call(translator->engine->target, task->thread, cache->syscall_va, SYS_lseek,
				    (uint64_t[6]){(uint64_t)fd, file->position, SEEK_SET}, &ignored);
	}
	free(bytes);
}

static bool is_cache(const void *context, uint64_t start_va, uint64_t end_va)
{
	return cache_overlaps(context, start_va, end_va);
}

void map_files_filter_read(struct backend *backend, struct task *task, struct target_regs *after)
{
	struct translator *translator = translator_of(backend);
	bool is_read = task->before.rax == SYS_read || task->before.rax == SYS_pread64;
	char *text;

	if (!translator->map_files.are_watched || task->site.insn.flow != FLOW_SYSCALL || !is_read ||
	    (int64_t)after->rax < 0 || !translator->cache.n_areas)
		return;
	if (!thread_descriptor_proc_files(task->thread, (int)task->before.rdi).map) {
		translator->map_files.are_watched = thread_proc_files(task->thread).map;
		native_syscalls_choose(translator);
		return;
	}
	text = thread_read_file(task->thread, (int)task->before.rdi);
	if (!text)
		return;
	map_file_remove(text, is_cache, &translator->cache);
	read_again(translator, task, text, after);
	free(text);
}

void map_files_forget(struct translator *translator)
{
	for (size_t i = 0; i < translator->map_files.n_files; i++)
		map_file_deinit(&translator->map_files.files[i]);
	free(translator->map_files.files);
	translator->map_files = (struct map_files){0};
}
