#include "costmodels/model/text_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

static bool read_bytes(int fd, const char *path, char *text, size_t n_bytes, struct error *err)
{
	size_t done = 0;

	while (done < n_bytes) {
		ssize_t n = read(fd, text + done, n_bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_set_errno(err, ERROR_ENVIRONMENT, "cannot read %s", path);
		if (n == 0)
			return error_set(err, ERROR_ENVIRONMENT, "cannot read %s: it became shorter while being read",
					 path);
		done += (size_t)n;
	}
	return true;
}

/* A NUL byte would truncate strings. */
static bool check_no_nul(struct text_file *file, struct error *err)
{
	const char *nul = memchr(file->text, '\0', file->n_bytes);

	if (!nul)
		return true;
	file->line = 1;
	for (const char *at = file->text; at < nul; at++)
		file->line += *at == '\n';
	return text_file_error(file, err, "contains a NUL byte; expected a text file");
}

static bool read_text(struct text_file *file, int fd, size_t head_bytes, struct error *err)
{
	struct stat st;
	bool is_cut;

	if (fstat(fd, &st) != 0)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot read %s", file->path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_ENVIRONMENT, "cannot read %s: it is not a regular file", file->path);
	if ((uint64_t)st.st_size > TEXT_FILE_MAX_BYTES) {
		file->line = 1;
		return text_file_error(file, err, "larger than %zu MiB; expected a cost model",
				       TEXT_FILE_MAX_BYTES >> 20);
	}
	is_cut = head_bytes && (size_t)st.st_size > head_bytes;
	file->n_bytes = is_cut ? head_bytes : (size_t)st.st_size;
	file->text = xrealloc_array(NULL, file->n_bytes + 1, 1);
	file->next = file->text;
	if (!read_bytes(fd, file->path, file->text, file->n_bytes, err))
		return false;
	while (is_cut && file->n_bytes && file->text[file->n_bytes - 1] != '\n')
		file->n_bytes--;
	file->text[file->n_bytes] = '\0';
	return check_no_nul(file, err);
}

bool text_file_open(struct text_file *file, const char *path, size_t head_bytes, struct error *err)
{
	struct text_file opened = {.path = path};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* open() must not wait at a FIFO, which is refused */
	bool ok;

	if (fd < 0)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot read %s", path);
	ok = read_text(&opened, fd, head_bytes, err);
	close(fd);
	if (!ok) {
		text_file_close(&opened);
		return false;
	}
	*file = opened;
	return true;
}

void text_file_close(struct text_file *file)
{
	free(file->text);
	*file = (struct text_file){0};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static char *trim(char *begin, char *end)
{
	while (begin < end && is_blank(*begin))
		begin++;
	while (end > begin && is_blank(end[-1]))
		end--;
	*end = '\0';
	return begin;
}

bool text_file_next(struct text_file *file, char **line, struct error *err)
{
	char *text_end = file->text + file->n_bytes;

	while (file->next < text_end) {
		char *begin = file->next;
		char *end = memchr(begin, '\n', (size_t)(text_end - begin));
		char *comment;

		if (!end)
			end = text_end;
		file->line++;
		file->next = end + (end < text_end);
		if (end - begin > TEXT_FILE_MAX_LINE_BYTES) {
			text_file_error(file, err, "line is longer than %d bytes", TEXT_FILE_MAX_LINE_BYTES);
			if (!text_file_recover(file, err))
				return false;
			continue;
		}
		comment = memchr(begin, '#', (size_t)(end - begin));
		begin = trim(begin, comment ? comment : end);
		if (*begin) {
			*line = begin;
			return true;
		}
	}
	*line = NULL;
	return true;
}

static bool is_printable(char c)
{
	return c >= 0x20 && c < 0x7f;
}

bool text_is_word(const char *text, const char *others)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr(others, *text))
			return false;
	return true;
}

bool text_is_printable(const char *text)
{
	while (is_printable(*text))
		text++;
	return !*text;
}

bool text_file_error(const struct text_file *file, struct error *err, const char *format, ...)
{
	char text[sizeof(err->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (char *at = text; *at; at++)
		if (!is_printable(*at))
			*at = '?';
	return error_set(err, ERROR_FORMAT, "%s:%u: %s", file->path, file->line, text);
}

bool text_file_recover(const struct text_file *file, struct error *err)
{
	if (!file->problems)
		return false;
	*ARRAY_ADD(file->problems, texts) = xstrdup(err->text);
	*err = (struct error){0};
	return true;
}

void text_problems_deinit(struct text_problems *problems)
{
	for (size_t i = 0; i < problems->n_texts; i++)
		free(problems->texts[i]);
	free(problems->texts);
	*problems = (struct text_problems){0};
}

bool text_cut_cells(char *line, char **cells, size_t n_cells)
{
	char *at = line;
	size_t n = 0;

	for (;;) {
		char *end = strchrnul(at, '|');
		bool last = !*end;

		if (n == n_cells)
			return false;
		cells[n] = trim(at, end);
		if (strcmp(cells[n], "-") == 0)
			*cells[n] = '\0';
		n++;
		if (last)
			break;
		at = end + 1;
	}
	while (n < n_cells)
		cells[n++] = at + strlen(at);
	return true;
}

bool text_cut_assignment(char *line, char **key, char **value)
{
	char *equals = strchr(line, '=');

	if (!equals)
		return false;
	*value = trim(equals + 1, equals + 1 + strlen(equals + 1));
	*key = trim(line, equals);
	return true;
}

bool text_parse_milli(const char *text, int64_t *out)
{
	const int64_t max = (int64_t)TEXT_FILE_MAX_CYCLES * 1000;
	int64_t value = 0;
	int places = 0;

	if (!text_is_digit(*text))
		return false;
	for (; text_is_digit(*text); text++) {
		value = value * 10 + (*text - '0');
		if (value > TEXT_FILE_MAX_CYCLES)
			return false;
	}
	if (*text == '.') {
		text++;
		if (!text_is_digit(*text))
			return false;
		for (; text_is_digit(*text) && places < 3; text++, places++)
			value = value * 10 + (*text - '0');
	}
	if (*text)
		return false;
	for (; places < 3; places++)
		value *= 10;
	if (value > max)
		return false;
	*out = value;
	return true;
}

static unsigned digit_value(char c)
{
	if (text_is_digit(c))
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : UINT_MAX;
}

bool text_parse_uint(const char *text, uint64_t max, uint64_t *out)
{
	unsigned base = text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10;
	uint64_t value = 0;

	text += base == 16 ? 2 : 0;
	do {
		unsigned digit = digit_value(*text);

		if (digit >= base || digit > max || value > (max - digit) / base)
			return false;
		value = value * base + digit;
	} while (*++text);
	*out = value;
	return true;
}

bool text_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *retry = NULL;

	while (*text) {
		if (*pattern == '*' && !pattern[1])
			return true;
		if (*pattern == '*') {
			star = pattern++;
			retry = text;
		} else if (*pattern && strncasecmp(pattern, text, 1) == 0) {
			pattern++;
			text++;
		} else if (star && *retry != ' ') {
			pattern = star + 1;
			text = ++retry;
		} else {
			return false;
		}
	}
	return !*pattern || strcmp(pattern, "*") == 0;
}

bool text_list_has(const char *list, const char *word)
{
	while (*list) {
		size_t n = strcspn(list, ", ");

		if (n == strlen(word) && strncasecmp(list, word, n) == 0)
			return true;
		list += n;
		list += strspn(list, ", ");
	}
	return false;
}
