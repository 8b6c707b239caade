/* Bytes on the command line, in hexadecimal. */
#ifndef ITRACE_CLI_HEX_BYTES_H
#define ITRACE_CLI_HEX_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends the bytes in a text, with or without blanks between them, to bytes[*n_bytes], which has room for n_most in
 * all. False: the text has something else, or too many bytes. */
bool hex_bytes_add(const char *text, size_t n_most, uint8_t *bytes, size_t *n_bytes);

/* A copy of such a text without the blanks; the caller frees it. */
char *hex_without_blanks(const char *text);

#endif
