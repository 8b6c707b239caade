/* Bytes on the command line, in hexadecimal. */
#ifndef ITRACE_CLI_HEX_BYTES_H
#define ITRACE_CLI_HEX_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses a text such as "48 03 07" or "480307", and appends its bytes to bytes[max_bytes], of which *n_bytes are in
 * use. False if the text is not hexadecimal, has a single digit, or has more bytes than there is room for; bytes[] may
 * then have some of them. */
bool hex_bytes_add(const char *text, size_t max_bytes, uint8_t *bytes, size_t *n_bytes);

/* Returns a copy of a text without its blanks. The caller frees it. */
char *hex_without_blanks(const char *text);

#endif
