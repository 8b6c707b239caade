/* The table of note 647.1, as printed: hundredths of a microsecond. This copy is only for the test, independent of
 * costmodels/data. */
#ifndef ITRACE_TESTS_VAX_FAMILY_REFERENCE_H
#define ITRACE_TESTS_VAX_FAMILY_REFERENCE_H

enum { MICROVAX2, VAX780, VAX8200, VAX8600, N_FAMILY };

static const struct {
	const char *text;
	int centi_us[N_FAMILY];
} vax_family_reference[37] = {
	/* clang-format off */
	{"MOVL Reg,Reg", {44, 40, 40, 10}},
	{"ADDL2 Reg,Reg", {44, 40, 39, 10}},
	{"CLRL Reg", {66, 60, 60, 8}},
	{"ADDL3 Reg,Reg,Reg", {69, 60, 81, 16}},
	{"CLRQ Reg", {88, 120, 80, 16}},
	{"BRW", {117, 85, 73, 29}},
	{"MOVL Mem,Reg", {132, 85, 81, 30}},
	{"MOVL Reg,Mem", {127, 125, 95, 30}},
	{"TSTL + BLEQ", {140, 101, 101, 40}},
	{"CMPL + BLEQ", {156, 123, 119, 44}},
	{"BBS #22,Reg,disp", {133, 140, 161, 56}},
	{"ADDF2 Reg,Reg", {296, 79, 146, 24}},
	{"ADDF3 Reg,Reg,Reg", {294, 120, 191, 32}},
	{"BBCC #22,Reg,disp", {195, 160, 231, 80}},
	{"MOVL Mem,Mem", {283, 175, 211, 56}},
	{"MULF2 Reg,Reg", {389, 121, 203, 32}},
	{"ASHL #10,Reg,Reg", {203, 201, 549, 56}},
	{"JSB + RSB", {361, 301, 293, 127}},
	{"CMPV #2,#7,Reg,#-2", {314, 282, 483, 48}},
	{"EXTZV #4,#10,Reg,Reg", {383, 261, 484, 88}},
	{"EXTV #4,#10,Reg,Reg", {365, 302, 565, 88}},
	{"MULL2 Reg,Reg", {524, 186, 592, 64}},
	{"CMPZV #2,#7,Reg,#-2", {464, 302, 537, 88}},
	{"DIVF3 Reg,Reg,Reg", {471, 469, 276, 138}},
	{"INSV Reg,#4,#10,Reg", {517, 342, 579, 120}},
	{"EMUL Reg,Reg,Reg,Reg", {640, 693, 348, 73}},
	{"DIVL2 Reg,Reg", {847, 947, 823, 171}},
	{"DIVL3 Reg,Reg,Reg", {869, 967, 767, 257}},
	{"INSQUE + REMQUE", {1070, 1394, 876, 241}},
	{"EDIV Reg,Reg,Reg,Reg", {1143, 1188, 747, 401}},
	{"CALLG #0,Rtn + RET, 0 GPRs", {1285, 1365, 1279, 302}},
	{"CALLS #0,Rtn + RET, 0 GPRs", {1410, 1433, 1420, 342}},
	{"CALLS #0,Rtn + RET, 5 GPRs", {2133, 2356, 1751, 460}},
	{"INSQHI + REMQHI", {1948, 2738, 2501, 509}},
	{"CALLS #0,Rtn + RET, 10 GPRs", {2723, 3222, 2549, 564}},
	{"CMPC3 Reg,(Reg),(Reg), 10 chr", {8341, 1430, 1030, 385}},
	{"MOVC5 #0,(R1),#0,#512,BLOCK", {12458, 11166, 6320, 1317}},
	/* clang-format on */
};

#endif
