#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "target/internal.h"

static bool read_link(const char *link, char *path, size_t path_bytes)
{
	ssize_t length = readlink(link, path, path_bytes - 1);

	path[length > 0 ? length : 0] = '\0';
	return length > 0;
}

bool process_program_path(const struct process *process, char *path, size_t path_bytes)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)process->pid);
	if (!read_link(link, path, path_bytes))
		return false;
	/* If the file was deleted or is in another mount namespace, the link itself still opens it. */
	if (access(path, R_OK) != 0)
		snprintf(path, path_bytes, "%s", link);
	return true;
}

void process_mapping_link(const struct process *process, const struct mapping *mapping, char *path, size_t path_bytes)
{
	snprintf(path, path_bytes, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)process->pid, mapping->start_va,
		 mapping->end_va);
}

struct proc_files thread_descriptor_proc_files(const struct thread *thread, int fd)
{
	struct proc_files files = {0};
	char path[64], link[64], *end;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)thread->tid, fd);
	read_link(link, path, sizeof(path));
	if (strncmp(path, "/proc/", 6) != 0)
		return files;
	files.memory = strcmp(path + strlen(path) - 4, "/mem") == 0;
	if (strtol(path + 6, &end, 10) != thread->process->pid)
		return files;
	if (strncmp(end, "/task/", 6) == 0)
		strtol(end + 6, &end, 10);
	files.map = strcmp(end, "/maps") == 0 || strcmp(end, "/smaps") == 0;
	return files;
}

uint64_t thread_descriptor_inode(const struct thread *thread, int fd)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)thread->tid, fd);
	return stat(path, &status) == 0 ? status.st_ino : 0;
}

char *thread_read_file(const struct thread *thread, int fd)
{
	FILE *file = proc_open(thread->tid, "fd/%d", fd);
	size_t capacity = 0;
	char *text = NULL;

	if (!file)
		return NULL;
	if (getdelim(&text, &capacity, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

bool thread_descriptor_position(const struct thread *thread, int fd, uint64_t *position)
{
	FILE *file = proc_open(thread->tid, "fdinfo/%d", fd);
	bool is_read;

	if (!file)
		return false;
	is_read = fscanf(file, "pos: %" SCNu64, position) == 1;
	fclose(file);
	return is_read;
}

struct proc_files thread_proc_files(const struct thread *thread)
{
	struct proc_files files = {0};
	const struct dirent *entry;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)thread->tid);
	folder = opendir(path);
	if (!folder)
		return files;
	while ((entry = readdir(folder))) {
		struct proc_files found;

		if (entry->d_name[0] == '.')
			continue;
		found = thread_descriptor_proc_files(thread, atoi(entry->d_name));
		files.memory |= found.memory;
		files.map |= found.map;
	}
	closedir(folder);
	return files;
}

bool process_find_threads(pid_t pid, pid_t **tids, size_t *n_tids)
{
	struct {
		pid_t *tids;
		size_t n_tids, tids_capacity;
	} found = {0};
	struct dirent *entry;
	char path[64];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	if (!folder)
		return false;
	while ((entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			*ARRAY_ADD(&found, tids) = atoi(entry->d_name);
	closedir(folder);
	*tids = found.tids;
	*n_tids = found.n_tids;
	return found.n_tids > 0;
}

char **process_command_line(pid_t pid)
{
	struct {
		char **args;
		size_t n_args, args_capacity;
	} line = {0};
	FILE *file = proc_open(pid, "cmdline");
	size_t arg_bytes = 0;
	char *arg = NULL;

	while (file && getdelim(&arg, &arg_bytes, '\0', file) > 0)
		*ARRAY_ADD(&line, args) = xstrdup(arg);
	if (file)
		fclose(file);
	free(arg);
	if (!line.n_args) {
		char name[64] = "?";

		proc_status_field(pid, "Name", name, sizeof(name));
		*ARRAY_ADD(&line, args) = xstrdup(name);
	}
	*ARRAY_ADD(&line, args) = NULL;
	return line.args;
}

bool thread_read_name(const struct thread *thread, char *name, size_t name_bytes)
{
	FILE *file = proc_open(thread->tid, "comm");
	size_t length;

	if (!file)
		return false;
	length = fread(name, 1, name_bytes - 1, file);
	fclose(file);
	/* The last line feed ends the name; the name itself may contain others. */
	name[length - (length > 0 && name[length - 1] == '\n')] = '\0';
	return length > 0;
}

bool process_is_alive(pid_t pid)
{
	char state[32];

	return proc_status_field(pid, "State", state, sizeof(state)) && state[0] != 'Z' && state[0] != 'X';
}

/* The kernel writes a newline in a path as \012, but does not escape a backslash (seq_path in fs/seq_file.c). */
static void restore_newlines(char *path)
{
	static const char escaped[] = "\\012";
	char *at = strstr(path, escaped);

	if (!at || access(path, F_OK) == 0)
		return;
	for (; at; at = strstr(at, escaped)) {
		*at++ = '\n';
		memmove(at, at + strlen(escaped) - 1, strlen(at + strlen(escaped) - 1) + 1);
	}
}

/* Parses "start-end flags offset device inode path". Returns NULL if the line has another form, else the path. */
static char *parse_mapping(char *line, struct mapping *mapping)
{
	char *at = line, *flags;

	mapping->start_va = strtoull(at, &at, 16);
	if (*at != '-')
		return NULL;
	mapping->end_va = strtoull(at + 1, &at, 16);
	flags = at + 1;
	if (strlen(at) < sizeof(" rwxp "))
		return NULL;
	mapping->readable = flags[0] == 'r';
	mapping->writable = flags[1] == 'w';
	mapping->executable = flags[2] == 'x';
	mapping->shared = flags[3] == 's';
	mapping->offset_bytes = strtoull(flags + 4, &at, 16);
	at = strchr(at + 1, ' '); /* behind the device */
	if (!at)
		return NULL;
	mapping->inode = strtoull(at, &at, 10);
	at += strspn(at, " ");
	at[strcspn(at, "\n")] = '\0';
	return at;
}

bool process_read_mappings(const struct process *process, struct mapping_list *list, struct error *err)
{
	struct mapping_list read = {0};
	FILE *file = proc_open(process->pid, "maps");
	size_t line_bytes = 0;
	char *line = NULL, buffer[1 << 14];

	if (!file)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot read /proc/%d/maps", (int)process->pid);
	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	while (getline(&line, &line_bytes, file) > 0) {
		struct mapping mapping;
		char *name = parse_mapping(line, &mapping);

		if (!name)
			continue;
		restore_newlines(name);
		mapping.path = xstrdup(name);
		*ARRAY_ADD(&read, mappings) = mapping;
	}
	free(line);
	fclose(file);
	*list = read;
	return true;
}

bool process_read_mapping_at(const struct process *process, uint64_t va, struct mapping_list *list)
{
	/* include/uapi/linux/fs.h: PROCMAP_QUERY, struct procmap_query, enum procmap_query_flags */
	enum { READABLE = 1, WRITABLE = 2, EXECUTABLE = 4, SHARED = 8 };
	struct {
		uint64_t size, query_flags, query_va, start_va, end_va, flags, page_bytes, offset_bytes, inode;
		uint32_t device_major, device_minor, name_bytes, build_id_bytes;
		uint64_t name, build_id;
	} query = {.size = sizeof(query), .query_va = va};
	FILE *file = proc_open(process->pid, "maps");
	char name[PATH_MAX] = "";
	int failure = 0;

	*list = (struct mapping_list){0};
	if (!file)
		return false;
	query.name = (uint64_t)(uintptr_t)name;
	query.name_bytes = sizeof(name);
	if (ioctl(fileno(file), _IOC(_IOC_READ | _IOC_WRITE, 'f', 17, sizeof(query)), &query) < 0)
		failure = errno;
	fclose(file);
	if (failure)
		return failure == ENOENT;
	*ARRAY_ADD(list, mappings) = (struct mapping){
		.start_va = query.start_va,
		.end_va = query.end_va,
		.offset_bytes = query.offset_bytes,
		.inode = query.inode,
		.readable = query.flags & READABLE,
		.writable = query.flags & WRITABLE,
		.executable = query.flags & EXECUTABLE,
		.shared = query.flags & SHARED,
		.path = xstrdup(query.name_bytes ? name : ""),
	};
	return true;
}

void mapping_list_deinit(struct mapping_list *list)
{
	for (size_t i = 0; i < list->n_mappings; i++)
		free(list->mappings[i].path);
	free(list->mappings);
	*list = (struct mapping_list){0};
}

const struct mapping *mapping_find(const struct mapping_list *list, uint64_t va)
{
	size_t found = ARRAY_SEARCH(list->n_mappings, i, list->mappings[i].end_va <= va);

	if (found == list->n_mappings || va < list->mappings[found].start_va)
		return NULL;
	return &list->mappings[found];
}
