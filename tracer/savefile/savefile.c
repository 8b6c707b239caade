#include "savefile/savefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "savefile/content.h"
#include "savefile/frame.h"

#define STEP_BYTES ((size_t)1 << 20)

struct file_bytes {
	uint8_t *bytes;
	size_t n_bytes, bytes_capacity;
};

static bool read_all(int fd, const char *path, struct file_bytes *content, struct error *err)
{
	ssize_t n;

	do {
		content->bytes = array_grow(content->bytes, &content->bytes_capacity, content->n_bytes + STEP_BYTES, 1);
		n = read(fd, content->bytes + content->n_bytes, STEP_BYTES);
		if (n < 0 && errno != EINTR)
			return error_set_errno(err, ERROR_ENVIRONMENT, "cannot read %.512s", path);
		content->n_bytes += n > 0 ? (size_t)n : 0;
		if (content->n_bytes > FRAME_MAX_FILE_BYTES)
			return frame_error(path, "it needs too much memory", err);
	} while (n != 0);
	return true;
}

bool savefile_detect(const char *path)
{
	static const char suffix[] = ".itrace";
	size_t n_path = strlen(path), n_suffix = sizeof(suffix) - 1;
	char magic[FRAME_MAGIC_BYTES];
	bool is_saved;
	int fd;

	if (n_path > n_suffix && strcmp(path + n_path - n_suffix, suffix) == 0)
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	is_saved = fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
		   memcmp(magic, FRAME_MAGIC, sizeof(magic)) == 0;
	if (fd >= 0)
		close(fd);
	return is_saved;
}

bool savefile_read_bytes(const uint8_t *bytes, size_t n_bytes, const char *path, struct profile *profile,
			 struct error *err)
{
	struct profile read;
	const char *problem;
	size_t n_content;
	uint8_t *content = frame_unpack(bytes, n_bytes, path, &n_content, err);
	bool is_good;

	if (!content)
		return false;
	profile_init(&read);
	is_good = content_read(content, n_content, &read, &problem);
	if (is_good)
		*profile = read;
	else
		profile_deinit(&read), frame_error(path, problem, err);
	free(content);
	return is_good;
}

bool savefile_read(const char *path, struct profile *profile, struct error *err)
{
	struct file_bytes file = {0};
	struct stat status;
	bool is_good;
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot open %.512s", path);
	if (fstat(fd, &status) < 0)
		is_good = error_set_errno(err, ERROR_ENVIRONMENT, "cannot open %.512s", path);
	else if (!S_ISREG(status.st_mode))
		is_good = error_set(err, ERROR_FORMAT, "%.512s: not an itrace profile: it is not a regular file", path);
	else
		is_good = read_all(fd, path, &file, err) &&
			  savefile_read_bytes(file.bytes, file.n_bytes, path, profile, err);
	close(fd);
	free(file.bytes);
	return is_good;
}

/* Creates a temporary file next to `path`. Sets *temporary to its name, which the caller frees. Returns -1 on
 * failure. */
static int open_temporary(const char *path, char **temporary, struct error *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct stat status;
	int fd;

	if (!*name) {
		error_set(err, ERROR_USAGE, "cannot write a profile to '%.512s': it names no file", path);
		return -1;
	}
	if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		error_set(err, ERROR_USAGE, "cannot write a profile to %.512s: it is not a regular file", path);
		return -1;
	}
	*temporary = xasprintf("%.*s.itrace-XXXXXX", (int)(name - path), path);
	fd = mkostemp(*temporary, O_CLOEXEC);
	if (fd < 0) {
		error_set_errno(err, ERROR_ENVIRONMENT, "cannot write a profile to %.512s", path);
		free(*temporary);
	}
	return fd;
}

bool savefile_check_path(const char *path, struct error *err)
{
	char *temporary;
	int fd = open_temporary(path, &temporary, err);

	if (fd < 0)
		return false;
	close(fd);
	unlink(temporary);
	free(temporary);
	return true;
}

static bool write_all(int fd, const uint8_t *bytes, size_t n_bytes)
{
	while (n_bytes > 0) {
		ssize_t n = write(fd, bytes, n_bytes);

		if (n < 0 && errno != EINTR)
			return false;
		bytes += n > 0 ? n : 0;
		n_bytes -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Sets the mode that open() gives to a new file. */
static bool set_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask) == 0;
}

uint8_t *savefile_write_bytes(const struct profile *profile, const char *path, size_t *n_bytes, struct error *err)
{
	const char *problem;
	size_t n_content;
	uint8_t *content = content_write(profile, &n_content, &problem), *bytes;

	if (!content) {
		error_set(err, ERROR_ENVIRONMENT,
			  "cannot save to %.512s: the profile contradicts itself: %s; this is a bug in itrace", path,
			  problem);
		return NULL;
	}
	bytes = frame_pack(content, n_content, path, n_bytes, err);
	free(content);
	return bytes;
}

static bool write_file(const uint8_t *bytes, size_t n_bytes, const char *path, struct error *err)
{
	char *temporary;
	int fd = open_temporary(path, &temporary, err);
	bool is_good;

	if (fd < 0)
		return false;
	/* Some file systems report a full disk only at fsync. Without fsync, the rename could replace a good file with
	 * a damaged one. */
	is_good = write_all(fd, bytes, n_bytes) && set_mode(fd) && fsync(fd) == 0;
	if (close(fd) != 0)
		is_good = false;
	is_good = is_good && rename(temporary, path) == 0;
	if (!is_good) {
		error_set_errno(err, ERROR_ENVIRONMENT, "cannot write a profile to %.512s", path);
		unlink(temporary);
	}
	free(temporary);
	return is_good;
}

bool savefile_write(const struct profile *profile, const char *path, struct error *err)
{
	size_t n_bytes;
	uint8_t *bytes = savefile_write_bytes(profile, path, &n_bytes, err);
	bool is_good = bytes && write_file(bytes, n_bytes, path, err);

	free(bytes);
	return is_good;
}
