#include "base/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

/* Decodes the well-formed UTF-8 sequence at `text` (The Unicode Standard, table 3-7). Returns its length in bytes; 0
 * if there is none. */
static size_t decode_utf8(const unsigned char *text, uint32_t *character)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = text[0] < 0x80 ? 1 : text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	uint32_t value = text[0];

	if (length == 0 || text[0] > 0xf4)
		return 0;
	if (length > 1)
		value &= 0x7fu >> length;
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (text[i] & 0x3f);
	}
	if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*character = value;
	return length;
}

static bool is_harmful(uint32_t character)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0x00, 0x1f},	  {0x7f, 0x9f},	    /* control characters: U+009B alone starts an escape sequence */
		{0x061c, 0x061c}, {0x200e, 0x200f}, /* marks of text direction */
		{0x2028, 0x202e},		    /* line and paragraph separators, embeddings and overrides */
		{0x2066, 0x2069},		    /* isolates */
	};

	for (size_t i = 0; i < ARRAY_LENGTH(ranges); i++)
		if (character >= ranges[i].first && character <= ranges[i].last)
			return true;
	return false;
}

char *escape_text(const char *raw, enum escape_for use)
{
	const unsigned char *from = (const unsigned char *)raw;
	char *text = xrealloc_array(NULL, strlen(raw) + 1, 4);
	char *to = text;

	while (*from) {
		uint32_t character = 0;
		size_t length = decode_utf8(from, &character);
		bool keep = length > 0 && !(use == ESCAPE_FOR_TERMINAL && is_harmful(character));

		for (size_t i = 0; i < (length ? length : 1); i++, from++)
			if (keep)
				*to++ = (char)*from;
			else
				to += sprintf(to, "\\x%02X", *from);
	}
	*to = '\0';
	return text;
}

size_t escape_count_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}
