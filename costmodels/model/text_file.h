/* Reading the line-based text files of data/FORMAT.md: lines, cells, numbers, and messages with their place.
 *
 * A file is read whole and cut in place: every string handed out points into text_file.text and lives as long as it.
 */
#ifndef ITRACE_COSTMODELS_MODEL_TEXT_FILE_H
#define ITRACE_COSTMODELS_MODEL_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Limits that a table never meets and a wrong file soon does. */
#define TEXT_FILE_MAX_BYTES ((size_t)64 << 20)
#define TEXT_FILE_MAX_LINE_BYTES 4096
#define TEXT_FILE_MAX_CYCLES 1000000

/* What is wrong with a file, to be freed with text_problems_deinit. */
struct text_problems {
	char **texts;
	size_t n_texts, texts_capacity;
};
void text_problems_deinit(struct text_problems *problems);

struct text_file {
	const char *path; /* borrowed; as messages name it */
	char *text;
	size_t n_bytes;
	char *next;			/* where the next line begins */
	unsigned line;			/* of the line last handed out, from 1 */
	struct text_problems *problems; /* borrowed; NULL: the first one ends the reading */
};

/* Reads a regular file, or only the lines that end in its first `head_bytes` (0: the whole). A NUL byte is an error. */
bool text_file_open(struct text_file *file, const char *path, size_t head_bytes, struct error *err);
void text_file_close(struct text_file *file);

/* The next line that is not blank, without its comment ('#' to the end) and outer white space; NULL at the end. */
bool text_file_next(struct text_file *file, char **line, struct error *err);

/* ERROR_FORMAT with "path:line: " before the text, in which unprintable characters become '?'; false. */
bool text_file_error(const struct text_file *file, struct error *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Moves the error to file->problems, so that the reader can go on with the next line; false if nobody wants to know
 * more than the first one. */
bool text_file_recover(const struct text_file *file, struct error *err);

/* At least one letter or digit or one of the other characters, and nothing else. */
bool text_is_word(const char *text, const char *others);

/* Whether all of a text is printable ASCII, as whatever of a file gets into a report must be. */
bool text_is_printable(const char *text);

/* Cuts a row at each '|' and trims the cells; absent cells are "", and so is a lone "-". False if there are more than
 * n_cells. */
bool text_cut_cells(char *line, char **cells, size_t n_cells);

/* Cuts "key = value" in two. False if there is no '='; either may be empty. */
bool text_cut_assignment(char *line, char **key, char **value);

/* Parses a decimal with at most 3 places into thousandths: "0.25" gives 250. False for anything else and above
 * TEXT_FILE_MAX_CYCLES. */
bool text_parse_milli(const char *text, int64_t *out);

/* Parses a decimal or 0x number up to `max`. */
bool text_parse_uint(const char *text, uint64_t max, uint64_t *out);

/* Whether the pattern makes the text: a '*' at its end stands for any text, elsewhere for any without a space; letters of
 * either case. */
bool text_matches(const char *pattern, const char *text);

#endif
