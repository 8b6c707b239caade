/* Reads the line-based text files of data/FORMAT.md: lines, cells, numbers, and messages with file and line.
 *
 * The whole file is in memory. Functions write NUL bytes into it and return strings that point into text_file.text.
 */
#ifndef ITRACE_COSTMODELS_MODEL_TEXT_FILE_H
#define ITRACE_COSTMODELS_MODEL_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Limits that exceed every table. They reject files of other kinds early. */
#define TEXT_FILE_MAX_BYTES ((size_t)64 << 20)
#define TEXT_FILE_MAX_LINE_BYTES 4096
#define TEXT_FILE_MAX_CYCLES 1000000

/* The problems of a file. Free with text_problems_deinit. */
struct text_problems {
	char **texts;
	size_t n_texts, texts_capacity;
};
void text_problems_deinit(struct text_problems *problems);

struct text_file {
	const char *path; /* borrowed; used in messages */
	char *text;
	size_t n_bytes;
	char *next;			/* start of the next line */
	unsigned line;			/* number of the current line, from 1 */
	struct text_problems *problems; /* borrowed; NULL: reading stops at the first problem */
};

/* Reads a regular file, or only the lines that end in its first head_bytes (0: all). A NUL byte is an error. */
bool text_file_open(struct text_file *file, const char *path, size_t head_bytes, struct error *err);
void text_file_close(struct text_file *file);

/* Sets *line to the next line that is not blank, trimmed and without a comment ('#' to the end), or to NULL at the end
 * of the file. Returns false if a line is too long and reading stops. */
bool text_file_next(struct text_file *file, char **line, struct error *err);

/* Sets ERROR_FORMAT with "path:line: " before the text. Unprintable characters become '?'. Returns false. */
bool text_file_error(const struct text_file *file, struct error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Moves the error to file->problems, so that the reader can continue with the next line. Returns false if reading
 * stops at the first problem. */
bool text_file_recover(const struct text_file *file, struct error *err);

/* Returns whether the text is not empty and has only letters, digits and the given other characters. */
bool text_is_word(const char *text, const char *others);

/* Returns whether a text is printable ASCII. All text that reports may show must be. */
bool text_is_printable(const char *text);

/* Cuts a row at each '|' and trims the cells. Absent cells and a lone "-" become "". Returns false if there are more
 * than n_cells. */
bool text_cut_cells(char *line, char **cells, size_t n_cells);

/* Cuts "key = value" in two. Either may be empty. Returns false if there is no '='. */
bool text_cut_assignment(char *line, char **key, char **value);

/* Parses a decimal with at most 3 places into thousandths: "0.25" gives 250. Returns false for other text and above
 * TEXT_FILE_MAX_CYCLES. */
bool text_parse_milli(const char *text, int64_t *out);

/* Parses a decimal or 0x number up to `max`. */
bool text_parse_uint(const char *text, uint64_t max, uint64_t *out);

/* Returns whether a list of words, separated by spaces or commas, has the word. Ignores case. */
bool text_list_has(const char *list, const char *word);

static inline bool text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Matches a text with a pattern, ignoring case. '*' at its end matches any text, elsewhere any text without a space. */
bool text_matches(const char *pattern, const char *text);

#endif
