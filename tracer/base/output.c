#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"

/* Linux follows at most 40 links in one path (path_resolution(7)). */
enum { LINKS_MAX = 40 };

struct walk {
	bool only_checks;
	unsigned n_links; /* followed so far */
	bool is_foreign;  /* the path ended at another user's file */
};

/* Opens the folder of a path, which the caller closes, and finds the name in it. */
static int open_folder(int from_fd, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
	int fd = folder ? openat(from_fd, folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	free(folder);
	*name = slash ? slash + 1 : path;
	return fd;
}

static bool refuse_foreign(struct walk *walk, const struct stat *folder, const struct stat *found)
{
	const mode_t shared = S_ISVTX | S_IWOTH;

	if ((folder->st_mode & shared) != shared || found->st_uid == geteuid() || found->st_uid == folder->st_uid ||
	    !(S_ISLNK(found->st_mode) || S_ISREG(found->st_mode) || S_ISFIFO(found->st_mode)))
		return false;
	walk->is_foreign = true;
	errno = EACCES;
	return true;
}

/* Links in /proc, such as the target of /dev/stdout, lead to open files, not to paths. */
static bool is_in_proc(int folder_fd)
{
	struct statfs file_system;

	return fstatfs(folder_fd, &file_system) == 0 && file_system.f_type == PROC_SUPER_MAGIC;
}

/* Returns 0 in place of a descriptor, because nothing is opened. */
static int check_name(struct walk *walk, int folder_fd, const char *name, const struct stat *folder)
{
	struct stat found;

	if (fstatat(folder_fd, name, &found, is_in_proc(folder_fd) ? 0 : AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return -1;
		return faccessat(folder_fd, ".", W_OK | X_OK, AT_EACCESS);
	}
	if (S_ISLNK(found.st_mode))
		errno = ELOOP;
	else if (S_ISDIR(found.st_mode))
		errno = EISDIR;
	else if (!refuse_foreign(walk, folder, &found))
		return faccessat(folder_fd, name, W_OK, AT_EACCESS);
	return -1;
}

static int open_name(struct walk *walk, int folder_fd, const char *name, const struct stat *folder)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (is_in_proc(folder_fd) ? 0 : O_NOFOLLOW), fd;
	struct stat found;

	if (walk->only_checks)
		return check_name(walk, folder_fd, name, folder);
	/* Checked before opening: a FIFO would block, and Linux's own refusal does not give the reason. */
	if (fstatat(folder_fd, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && refuse_foreign(walk, folder, &found))
		return -1;
	fd = openat(folder_fd, name, flags, 0666);
	/* Checked again, in case the file appeared meanwhile. */
	if (fd >= 0 && (fstat(fd, &found) < 0 || refuse_foreign(walk, folder, &found))) {
		int errno_value = errno;

		close(fd);
		errno = errno_value;
		return -1;
	}
	return fd;
}

static int walk_to(struct walk *walk, int from_fd, const char *path);

static int follow_link(struct walk *walk, int folder_fd, const char *name, const struct stat *folder)
{
	int link_fd = openat(folder_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), fd = -1, errno_value;
	char to[PATH_MAX] = "";
	struct stat found;

	if (link_fd < 0)
		return -1;
	if (++walk->n_links > LINKS_MAX) {
		errno = ELOOP;
	} else if (fstat(link_fd, &found) == 0 && !refuse_foreign(walk, folder, &found)) {
		if (readlinkat(link_fd, "", to, sizeof(to) - 1) > 0)
			fd = walk_to(walk, folder_fd, to);
	}
	errno_value = errno;
	close(link_fd);
	errno = errno_value;
	return fd;
}

static int walk_to(struct walk *walk, int from_fd, const char *path)
{
	struct stat folder;
	const char *name;
	int folder_fd = open_folder(from_fd, path, &name), fd = -1, errno_value;

	if (folder_fd < 0)
		return -1;
	if (!*name) {
		errno = EISDIR;
	} else if (fstat(folder_fd, &folder) == 0) {
		fd = open_name(walk, folder_fd, name, &folder);
		if (fd < 0 && errno == ELOOP)
			fd = follow_link(walk, folder_fd, name, &folder);
	}
	errno_value = errno;
	close(folder_fd);
	errno = errno_value;
	return fd;
}

/* The standard descriptor that is the same regular file, or -1. */
static int find_standard(const struct stat *found)
{
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat standard;

		if (fstat(fd, &standard) == 0 && standard.st_dev == found->st_dev && standard.st_ino == found->st_ino)
			return fd;
	}
	return -1;
}

/* Empties a regular file, unless it is standard output or error. Owns fd. Returns the descriptor to write to, or -1. */
static int empty_file(int fd)
{
	struct stat found;
	int standard, same;

	if (fstat(fd, &found) < 0 || !S_ISREG(found.st_mode))
		return fd;
	standard = find_standard(&found);
	if (standard < 0 && ftruncate(fd, 0) == 0)
		return fd;
	same = standard < 0 ? -1 : fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return same;
}

static bool explain(const struct walk *walk, const char *path, struct error *err)
{
	if (walk->is_foreign)
		return error_set(err, ERROR_ENVIRONMENT,
				 "cannot write to '%.512s': another user owns it, in a folder that everybody may "
				 "write to",
				 path);
	return error_set_errno(err, ERROR_ENVIRONMENT, "cannot write to '%.512s'", path);
}

FILE *output_open(const char *path, struct error *err)
{
	struct walk walk = {0};
	int fd = walk_to(&walk, AT_FDCWD, path);
	FILE *file;

	if (fd >= 0)
		fd = empty_file(fd);
	file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!file)
		explain(&walk, path, err);
	return file;
}

bool output_check(const char *path, struct error *err)
{
	struct walk walk = {.only_checks = true};

	return walk_to(&walk, AT_FDCWD, path) == 0 || explain(&walk, path, err);
}
