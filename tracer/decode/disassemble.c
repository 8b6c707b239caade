#include "decode/insn.h"

#include <stdio.h>

#include "decode/zydis_shared.h"

void insn_disassemble(const uint8_t *bytes, size_t n_bytes, uint64_t va, char *text, size_t text_bytes)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	ZydisFormatter formatter;
	char whole[256]; /* Zydis writes nothing if the buffer is too small */

	if (!zydis_decode(bytes, n_bytes, &insn, operands)) {
		snprintf(text, text_bytes, "%s", UNDECODABLE_TEXT);
		return;
	}
	ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED);
	ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED);
	if (!ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &insn, operands, insn.operand_count_visible,
							  whole, sizeof(whole), va, NULL)))
		snprintf(whole, sizeof(whole), "%s", UNDECODABLE_TEXT);
	snprintf(text, text_bytes, "%s", whole);
}
