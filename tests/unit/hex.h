/* Instruction bytes written as "48 8b 07". */
#ifndef ITRACE_TESTS_HEX_H
#define ITRACE_TESTS_HEX_H

#include <stdint.h>
#include <stdlib.h>

/* Returns the number of bytes written to out[capacity]. */
static inline size_t hex_parse(const char *hex, uint8_t *out, size_t capacity)
{
	size_t n = 0;
	char *end;

	for (; *hex && n < capacity; hex = end)
		out[n++] = (uint8_t)strtoul(hex, &end, 16);
	return n;
}

#endif
