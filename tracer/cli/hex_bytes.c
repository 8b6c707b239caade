#include "cli/hex_bytes.h"

#include <string.h>

#include "base/array.h"

static const char blanks[] = " \t\r\n";

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool hex_bytes_add(const char *text, size_t max_bytes, uint8_t *bytes, size_t *n_bytes)
{
	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		int high = hex_digit(text[0]);
		int low = high < 0 ? -1 : hex_digit(text[1]);

		if (low < 0 || *n_bytes == max_bytes)
			return false;
		bytes[(*n_bytes)++] = (uint8_t)(high << 4 | low);
		text += 2;
	}
	return true;
}

char *hex_without_blanks(const char *text)
{
	char *digits = xcalloc(strlen(text) + 1, 1);
	size_t n_digits = 0;

	for (; *text; text++)
		if (!strchr(blanks, *text))
			digits[n_digits++] = *text;
	return digits;
}
