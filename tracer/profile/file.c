#include "profile/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "profile/format.h"

/* More than any profile takes. */
#define MAX_FILE_BYTES ((size_t)128 << 20)

#define STEP_BYTES ((size_t)1 << 20)

static bool fail(const char *path, const char *problem, struct error *err)
{
	return error_set(err, ERROR_FORMAT, "%.512s: a damaged profile: %s", path, problem);
}

static bool check_header(const uint8_t *bytes, size_t n_bytes, const char *path, struct error *err)
{
	size_t n_compared = n_bytes < FORMAT_MAGIC_BYTES ? n_bytes : FORMAT_MAGIC_BYTES;

	if (n_bytes == 0 || memcmp(bytes, FORMAT_MAGIC, n_compared) != 0)
		return error_set(err, ERROR_FORMAT, "%.512s: no saved profile; 'itrace record' makes them", path);
	if (n_bytes < FORMAT_HEADER_BYTES)
		return fail(path, "it ends in its first bytes", err);
	if (bytes[FORMAT_MAGIC_BYTES] > FORMAT_VERSION)
		return error_set(
			err, ERROR_FORMAT,
			"%.512s: version %u of the format, which is newer than this itrace: it reads version %d", path,
			bytes[FORMAT_MAGIC_BYTES], FORMAT_VERSION);
	if (bytes[FORMAT_MAGIC_BYTES] < FORMAT_VERSION)
		return error_set(
			err, ERROR_FORMAT,
			"%.512s: version %u of the format, which no release of itrace wrote; this one reads version %d",
			path, bytes[FORMAT_MAGIC_BYTES], FORMAT_VERSION);
	return true;
}

/* FNV-1a of 64 bits (Fowler, Noll, Vo): a changed byte always changes it. */
static uint64_t checksum_of(const uint8_t *bytes, size_t n_bytes)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n_bytes; i++)
		sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
	return sum;
}

bool format_load_bytes(const uint8_t *bytes, size_t n_bytes, const char *path, struct profile *profile,
		       struct error *err)
{
	struct profile loaded;
	const char *problem = NULL;
	uint64_t checksum = 0;

	if (!check_header(bytes, n_bytes, path, err))
		return false;
	if (n_bytes < FORMAT_HEADER_BYTES + FORMAT_CHECKSUM_BYTES)
		return fail(path, "it is cut short", err);
	n_bytes -= FORMAT_CHECKSUM_BYTES;
	for (size_t i = FORMAT_CHECKSUM_BYTES; i > 0; i--)
		checksum = checksum << 8 | bytes[n_bytes + i - 1];
	if (checksum != checksum_of(bytes, n_bytes))
		return fail(path, "it was cut short, or changed since it was written", err);
	profile_init(&loaded);
	if (!format_decode(bytes + FORMAT_HEADER_BYTES, n_bytes - FORMAT_HEADER_BYTES, true, &loaded, &problem)) {
		profile_deinit(&loaded);
		return fail(path, problem, err);
	}
	*profile = loaded;
	return true;
}

bool format_save_bytes(const struct profile *profile, const char *path, struct byte_writer *writer, struct error *err)
{
	uint64_t checksum;

	bytes_put_raw(writer, FORMAT_MAGIC, FORMAT_MAGIC_BYTES);
	bytes_put_raw(writer, &(uint8_t){FORMAT_VERSION}, 1);
	if (!format_encode(profile, true, writer) || writer->n_bytes + FORMAT_CHECKSUM_BYTES > MAX_FILE_BYTES)
		return error_set(err, ERROR_ENVIRONMENT, "cannot save to %.512s: the profile is too large", path);
	checksum = checksum_of(writer->bytes, writer->n_bytes);
	for (unsigned i = 0; i < FORMAT_CHECKSUM_BYTES; i++)
		bytes_put_raw(writer, &(uint8_t){(uint8_t)(checksum >> 8 * i)}, 1);
	return true;
}

static bool read_all(int fd, const char *path, struct byte_writer *content, struct error *err)
{
	ssize_t n;

	do {
		content->bytes = array_reserve(content->bytes, &content->bytes_capacity, content->n_bytes + STEP_BYTES,
					       1);
		n = read(fd, content->bytes + content->n_bytes, STEP_BYTES);
		if (n < 0 && errno != EINTR)
			return error_set_errno(err, ERROR_ENVIRONMENT, "cannot read %.512s", path);
		content->n_bytes += n > 0 ? (size_t)n : 0;
		if (content->n_bytes > MAX_FILE_BYTES)
			return fail(path, "it is larger than any profile", err);
	} while (n != 0);
	return true;
}

bool profile_is_saved(const char *path)
{
	static const char suffix[] = ".itrace";
	size_t n_path = strlen(path), n_suffix = sizeof(suffix) - 1;
	char magic[FORMAT_MAGIC_BYTES];
	bool is_saved;
	int fd;

	if (n_path > n_suffix && strcmp(path + n_path - n_suffix, suffix) == 0)
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	is_saved = fd >= 0 && read(fd, magic, sizeof(magic)) == (ssize_t)sizeof(magic) &&
		   memcmp(magic, FORMAT_MAGIC, sizeof(magic)) == 0;
	if (fd >= 0)
		close(fd);
	return is_saved;
}

bool profile_load(const char *path, struct profile *profile, struct error *err)
{
	struct byte_writer content = {0};
	struct stat status;
	bool is_good;
	/* Without O_NONBLOCK, opening a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot open %.512s", path);
	if (fstat(fd, &status) < 0)
		is_good = error_set_errno(err, ERROR_ENVIRONMENT, "cannot open %.512s", path);
	else if (!S_ISREG(status.st_mode))
		is_good = error_set(err, ERROR_FORMAT, "%.512s: no saved profile, nor any regular file", path);
	else
		is_good = read_all(fd, path, &content, err) &&
			  format_load_bytes(content.bytes, content.n_bytes, path, profile, err);
	close(fd);
	free(content.bytes);
	return is_good;
}

/* A file that did not exist, beside `path`: *temporary is its name, to be freed. -1 on failure. */
static int open_temporary(const char *path, char **temporary, struct error *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct stat status;
	int fd;

	if (!*name) {
		error_set(err, ERROR_USAGE, "cannot write a profile to '%.512s': that is no file name", path);
		return -1;
	}
	if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		error_set(err, ERROR_USAGE, "cannot write a profile to %.512s: it exists and is no regular file", path);
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

bool profile_save_check(const char *path, struct error *err)
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

/* As a file has it that is created as always. */
static bool set_mode(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask) == 0;
}

bool profile_save(const struct profile *profile, const char *path, struct error *err)
{
	struct byte_writer content = {0};
	char *temporary;
	bool is_good;
	int fd;

	if (!format_save_bytes(profile, path, &content, err)) {
		free(content.bytes);
		return false;
	}
	fd = open_temporary(path, &temporary, err);
	if (fd < 0) {
		free(content.bytes);
		return false;
	}
	/* Some file systems tell of a full disk only now. A rename that outlives its content would be a lost profile. */
	is_good = write_all(fd, content.bytes, content.n_bytes) && set_mode(fd) && fsync(fd) == 0;
	if (close(fd) != 0)
		is_good = false;
	is_good = is_good && rename(temporary, path) == 0;
	if (!is_good) {
		error_set_errno(err, ERROR_ENVIRONMENT, "cannot write a profile to %.512s", path);
		unlink(temporary);
	}
	free(temporary);
	free(content.bytes);
	return is_good;
}
