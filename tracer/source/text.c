#include "source/text.h"

#include <fcntl.h>
#include <md5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

/* Generated sources go to some megabytes. */
#define MAX_TEXT_BYTES ((off_t)64 << 20)

static int64_t modified_ns(const struct stat *status)
{
	return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

static bool read_bytes(int fd, size_t n_bytes, char *bytes)
{
	while (n_bytes > 0) {
		ssize_t n = read(fd, bytes, n_bytes);

		if (n <= 0)
			return false;
		bytes += n;
		n_bytes -= (size_t)n;
	}
	return true;
}

static void find_md5(const char *bytes, size_t n_bytes, uint8_t md5[SOURCE_MD5_BYTES])
{
	MD5_CTX context;

	MD5Init(&context);
	MD5Update(&context, (const uint8_t *)bytes, n_bytes);
	MD5Final(md5, &context);
}

static void split(struct source_text *text, size_t n_bytes)
{
	char *end = text->bytes + n_bytes;

	for (char *line = text->bytes, *line_end; line < end; line = line_end + 1) {
		line_end = memchr(line, '\n', (size_t)(end - line));
		if (!line_end)
			line_end = end;
		*line_end = '\0';
		*ARRAY_ADD(text, lines) = line;
	}
}

bool source_text_read(const char *path, struct source_text *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;
	bool is_good = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
		       status.st_size <= MAX_TEXT_BYTES;

	if (is_good) {
		size_t n_bytes = (size_t)status.st_size;
		struct source_text found = {.bytes = xcalloc(n_bytes + 1, 1), .modified_ns = modified_ns(&status)};

		is_good = read_bytes(fd, n_bytes, found.bytes);
		if (is_good) {
			find_md5(found.bytes, n_bytes, found.md5);
			split(&found, n_bytes);
			*text = found;
		} else {
			free(found.bytes);
		}
	}
	if (fd >= 0)
		close(fd);
	return is_good;
}

void source_text_deinit(struct source_text *text)
{
	free(text->bytes);
	free(text->lines);
	*text = (struct source_text){0};
}

int64_t source_text_modified(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? modified_ns(&status) : INT64_MAX;
}
