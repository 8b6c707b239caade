/* The opcode table of the original tool, as printed: sixteen pairs of lines of eight, opcode 0x00 first. This copy is
 * only for the test. It was made from the columns of the printed table, independently of
 * costmodels/data/vax8800.cost. */
#ifndef ITRACE_TESTS_VAX8800_REFERENCE_H
#define ITRACE_TESTS_VAX8800_REFERENCE_H

/* "": not an instruction of the table. 0 cycles: no figure. */
static const struct {
	const char *mnemonic;
	int cycles;
} vax8800_reference[256] = {
	/* clang-format off */
    {"", 0}, {"", 0}, {"REI", 0}, {"", 0}, {"RET", 11}, {"RSB", 6}, {"", 0}, {"", 0},
    {"", 0}, {"", 0}, {"INDEX", 0}, {"CRC", 225}, {"PROBER", 0}, {"PROBEW", 0}, {"INSQUE", 28}, {"REMQUE", 15},
    {"BSBB", 6}, {"BRB", 6}, {"BNEQ", 6}, {"BEQL", 6}, {"BGTR", 6}, {"BLEQ", 6}, {"JSB", 10}, {"JMP", 6},
    {"BGEQ", 6}, {"BLSS", 6}, {"BGTRU", 6}, {"BLEQU", 6}, {"BVC", 6}, {"BVS", 6}, {"BGEQU", 6}, {"BLSSU", 6},
    {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0},
    {"MOVC3", 69}, {"CMPC3", 60}, {"SCANC", 0}, {"SPANC", 0}, {"MOVC5", 52}, {"CMPC5", 17}, {"MOVTC", 0}, {"MOVTUC", 0},
    {"BSBW", 6}, {"BRW", 6}, {"CVTWL", 4}, {"CVTWB", 6}, {"", 0}, {"", 0}, {"", 0}, {"", 0},
    {"", 0}, {"MATCHC", 0}, {"LOCC", 9}, {"SKPC", 0}, {"MOVZWL", 4}, {"ACBW", 0}, {"MOVAW", 2}, {"PUSHAW", 3},
    {"ADDF2", 7}, {"ADDF3", 8}, {"SUBF2", 7}, {"SUBF3", 8}, {"MULF2", 11}, {"MULF3", 12}, {"DIVF2", 35}, {"DIVF3", 36},
    {"CVTFB", 17}, {"CVTFW", 17}, {"CVTFL", 15}, {"CVTRFL", 19}, {"CVTBF", 8}, {"CVTWF", 8}, {"CVTLF", 6}, {"ACBF", 0},
    {"MOVF", 2}, {"CMPF", 8}, {"MNEGF", 4}, {"TSTF", 0}, {"EMODF", 0}, {"POLYF", 134}, {"", 0}, {"", 0},
    {"ADAWI", 0}, {"", 0}, {"", 0}, {"", 0}, {"INSQHI", 150}, {"INSQTI", 74}, {"REMQHI", 150}, {"REMQTI", 74},
    {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0},
    {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0},
    {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0},
    {"ASHL", 12}, {"ASHQ", 0}, {"EMUL", 21}, {"EDIV", 74}, {"CLRQ", 3}, {"MOVQ", 3}, {"MOVAQ", 3}, {"PUSHAQ", 3},
    {"ADDB2", 3}, {"ADDB3", 5}, {"SUBB2", 3}, {"SUBB3", 5}, {"MULB2", 17}, {"MULB3", 18}, {"DIVB2", 46}, {"DIVB3", 47},
    {"BISB2", 3}, {"BISB3", 4}, {"BICB2", 4}, {"BICB3", 5}, {"XORB2", 3}, {"XORB3", 3}, {"MNEGB", 3}, {"CASEB", 10},
    {"MOVB", 2}, {"CMPB", 2}, {"MCOMB", 0}, {"BITB", 0}, {"CLRB", 2}, {"TSTB", 5}, {"INCB", 2}, {"DECB", 2},
    {"CVTBL", 4}, {"CVTBW", 4}, {"MOVZBL", 4}, {"MOVZBW", 4}, {"ROTL", 8}, {"ACBB", 0}, {"MOVAB", 2}, {"PUSHAB", 3},
    {"ADDW2", 3}, {"ADDW3", 5}, {"SUBW2", 3}, {"SUBW3", 5}, {"MULW2", 17}, {"MULW3", 18}, {"DIVW2", 46}, {"DIVW3", 47},
    {"BISW2", 3}, {"BISW3", 4}, {"BICW2", 4}, {"BICW3", 5}, {"XORW2", 3}, {"XORW3", 3}, {"MNEGW", 3}, {"CASEW", 10},
    {"MOVW", 2}, {"CMPW", 2}, {"MCOMW", 0}, {"BITW", 0}, {"CLRW", 2}, {"TSTW", 5}, {"INCW", 2}, {"DECW", 2},
    {"BISPSW", 0}, {"BICPSW", 0}, {"POPR", 0}, {"PUSHR", 0}, {"CHMK", 0}, {"CHME", 0}, {"CHMS", 0}, {"CHMU", 0},
    {"ADDL2", 3}, {"ADDL3", 5}, {"SUBL2", 3}, {"SUBL3", 5}, {"MULL2", 17}, {"MULL3", 18}, {"DIVL2", 46}, {"DIVL3", 47},
    {"BISL2", 3}, {"BISL3", 4}, {"BICL2", 4}, {"BICL3", 5}, {"XORL2", 3}, {"XORL3", 3}, {"MNEGL", 3}, {"CASEL", 10},
    {"MOVL", 2}, {"CMPL", 7}, {"MCOML", 2}, {"BITL", 2}, {"CLRL", 2}, {"TSTL", 5}, {"INCL", 2}, {"DECL", 2},
    {"ADWC", 3}, {"SBWC", 3}, {"", 0}, {"", 0}, {"MOVPSL", 0}, {"PUSHL", 3}, {"MOVAL", 2}, {"PUSHAL", 3},
    {"BBS", 9}, {"BBC", 9}, {"BBSS", 0}, {"BBCS", 0}, {"BBSC", 10}, {"BBCC", 10}, {"BBSSI", 10}, {"BBCCI", 10},
    {"BLBS", 8}, {"BLBC", 8}, {"FFS", 38}, {"FFC", 21}, {"CMPV", 13}, {"CMPZV", 14}, {"EXTV", 13}, {"EXTZV", 12},
    {"INSV", 14}, {"ACBL", 0}, {"AOBLSS", 0}, {"AOBLEQ", 0}, {"SOBGEQ", 0}, {"SOBGTR", 0}, {"CVTLB", 6}, {"CVTLW", 6},
    {"", 0}, {"", 0}, {"CALLG", 46}, {"CALLS", 50}, {"", 0}, {"", 0}, {"", 0}, {"", 0},
	/* clang-format on */
};

#endif
