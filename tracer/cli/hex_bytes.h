/* Bytes on the command line, in hexadecimal. */
#ifndef ITRACE_CLI_HEX_BYTES_H
#define ITRACE_CLI_HEX_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Appends the bytes that a text states, with or without blanks between them, to bytes[*n_bytes], which has room for n_most. False if
 * it states anything else, or too much. */
bool hex_bytes_add(const char *text, size_t n_most, uint8_t *bytes, size_t *n_bytes);

/* A copy of such a text with nothing between the bytes, which the caller frees. */
char *hex_without_blanks(const char *text);

#endif
