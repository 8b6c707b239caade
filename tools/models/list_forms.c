/* Reads one instruction per line, in lower-case hex that may run past its end. Prints each one that decodes: its own
 * bytes, its opcode ("1 af/r": map, opcode, and whether ModRM follows), its instruction set and its form, between tabs.
 * make-models compiles it with tracer/decode, so that tables and tracer cannot disagree on what a form is. */
#include <stdio.h>
#include <string.h>

#include "decode/insn.h"
#include "decode/zydis_shared.h"

static int parse_nibble(char digit)
{
	const char *digits = "0123456789abcdef", *at = digit ? strchr(digits, digit) : NULL;

	return at ? (int)(at - digits) : -1;
}

static size_t parse_hex(const char *text, uint8_t bytes[INSN_MAX_BYTES])
{
	size_t n = 0;

	for (; n < INSN_MAX_BYTES; n++, text += 2) {
		int high = parse_nibble(text[0]), low = high < 0 ? -1 : parse_nibble(text[1]);

		if (low < 0)
			break;
		bytes[n] = (uint8_t)(high << 4 | low);
	}
	return n;
}

int main(void)
{
	char line[256];

	while (fgets(line, sizeof(line), stdin)) {
		ZydisDecodedInstruction insn;
		uint8_t bytes[INSN_MAX_BYTES];
		struct form form;
		size_t n_bytes = parse_hex(line, bytes);

		if (!zydis_decode(bytes, n_bytes, &insn, NULL))
			continue;
		form_of_bytes(bytes, n_bytes, &form);
		if (form.text[0] == '(')
			continue;
		printf("%.*s\t%x %02x%s\t%s\t%s\n", 2 * insn.length, line, (unsigned int)insn.opcode_map, insn.opcode,
		       insn.attributes & ZYDIS_ATTRIB_HAS_MODRM ? "/r" : "", ZydisISASetGetString(insn.meta.isa_set),
		       form.text);
	}
	return ferror(stdin) || fflush(stdout) != 0;
}
