/* The pairing examples of Intel's optimization manual (242816) and of the article "The P5 Basics", worked out by
 * hand: each instruction's pipe, and the cycles, with the figures of pentium.cost. 32-bit code is encoded as 64-bit
 * code without REX; 64-bit addresses stand for 32-bit ones. */
#include "costmodels/estimators/p5/pairing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "decode/insn.h"
#include "hex.h"

#define MAX_INSNS 64
#define CYCLES(n) ((n)*MCYC_PER_CYCLE)

static struct model *model;

static int load_model(void **state)
{
	struct error err = {0};

	(void)state;
	model = model_load(MODELS_DIR "/pentium.cost", &err);
	if (!model)
		print_message("%s\n", err.text);
	return model ? 0 : -1;
}

static int destroy_model(void **state)
{
	(void)state;
	model_destroy(model);
	return 0;
}

/* Consecutive instructions. */
struct code {
	struct pairing_insn insns[MAX_INSNS];
	uint32_t path[MAX_INSNS];
	size_t n;
};

static void code_init(struct code *code, const char *hex)
{
	uint8_t bytes[MAX_INSNS * INSN_MAX_BYTES];
	size_t n_bytes = hex_parse(hex, bytes, sizeof(bytes));

	*code = (struct code){0};
	for (size_t at = 0; at < n_bytes; code->n++) {
		struct insn insn;
		struct form form;
		struct cost cost;

		if (!insn_decode(bytes + at, n_bytes - at, &insn))
			fail_msg("%s is not decoded at byte %zu", hex, at);
		form_of_bytes(bytes + at, insn.length, &form);
		model_lookup(model, form.text, &cost);
		pairing_insn_init(&code->insns[code->n], &cost, bytes + at, insn.length);
		code->path[code->n] = (uint32_t)code->n;
		at += insn.length;
	}
}

/* The pipe of each instruction after code_run, such as "UVU". */
static void code_pipes(const struct code *code, char *pipes)
{
	for (size_t i = 0; i < code->n; i++)
		pipes[i] = code->insns[i].v_executions ? 'V' : 'U';
	pipes[code->n] = '\0';
}

static struct pairing_totals code_run(struct code *code, uint64_t count, enum pairing_mode mode)
{
	struct pairing_state state = {0};
	struct pairing_totals totals = {0};

	pairing_run(code->insns, &(struct pairing_sequence){code->path, code->n, count}, mode, &state, &totals);
	return totals;
}

struct example {
	const char *hex;
	const char *pipes;
	int cycles;
	int address_cycles, prefix_cycles;
};

static void check_examples(const struct example *examples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct example *example = &examples[i];
		char pipes[MAX_INSNS + 1];
		struct pairing_totals totals;
		struct code code;

		code_init(&code, example->hex);
		totals = code_run(&code, 1, PAIRING_REAL);
		code_pipes(&code, pipes);
		if (strcmp(pipes, example->pipes) != 0)
			fail_msg("%s: %s, expected %s", example->hex, pipes, example->pipes);
		if (totals.mcyc != CYCLES(example->cycles))
			fail_msg("%s: %ld milli-cycles, expected %d cycles", example->hex, (long)totals.mcyc,
				 example->cycles);
		assert_int_equal(totals.address_mcyc, CYCLES(example->address_cycles));
		assert_int_equal(totals.prefix_mcyc, CYCLES(example->prefix_cycles));
	}
}

static void article(void **state)
{
	static const struct example examples[] = {
		/* mov eax, 1; mov edx, 2; mov ecx, 3; mov ebx, 4 */
		{"b8 01 00 00 00 ba 02 00 00 00 b9 03 00 00 00 bb 04 00 00 00", "UVUV", 2, 0, 0},
		{"01 c8 01 c8", "UU", 2, 0, 0},	 /* add eax, ecx twice */
		{"01 c8 01 cb", "UV", 1, 0, 0},	 /* add eax, ecx; add ebx, ecx */
		{"01 02 ff c9", "UV", 3, 0, 0},	 /* add [edx], eax; dec ecx, in the last of its cycles */
		{"f7 ee 0f a2", "UU", 25, 0, 1}, /* do not pair: imul esi, cpuid */
	};

	(void)state;
	check_examples(examples, ARRAY_LENGTH(examples));
}

/* "Unpairability Due to Registers". */
static void dependence(void **state)
{
	static const struct example examples[] = {
		{"b8 08 00 00 00 89 45 00", "UU", 2, 0, 0}, /* flow: mov eax, 8; mov [ebp], eax */
		{"b8 08 00 00 00 8b 45 00", "UU", 2, 0, 0}, /* output: mov eax, 8; mov eax, [ebp] */
		{"89 c3 8b 45 00", "UV", 1, 0, 0},	    /* anti: mov ebx, eax; mov eax, [ebp] */
		{"b0 00 b4 01", "UU", 2, 0, 0},		    /* parts of one: mov al, 0; mov ah, 1 */
		{"39 c8 75 00", "UV", 1, 0, 0},		    /* cmp eax, ecx; jne */
		{"01 c8 75 00", "UV", 1, 0, 0},		    /* add eax, ecx; jne */
		{"39 c8 0f 85 00 00 00 00", "UV", 1, 0, 0}, /* cmp; jne near: its 0F is not a prefix */
		{"85 c0 01 cb", "UV", 1, 0, 0},		    /* both write flags: test eax, eax; add ebx, ecx */
		{"50 51", "UV", 1, 0, 0},		    /* push eax; push ecx */
		{"50 6a 01", "UV", 1, 0, 0},		    /* push eax; push 1 */
		{"50 e8 00 00 00 00", "UV", 1, 0, 0},	    /* push eax; call */
		{"58 59", "UV", 1, 0, 0},		    /* pop eax; pop ecx */
		{"50 59", "UU", 2, 0, 0},		    /* push eax; pop ecx: not among the special pairs */
		{"58 58", "UU", 2, 0, 0},		    /* pop eax twice: output dependence */
		{"58 50", "UU", 2, 0, 0},
		{"50 8b 1c 24", "UU", 2, 0, 0},	      /* push eax; mov ebx, [esp] */
		{"50 89 e3", "UU", 2, 0, 0},	      /* push eax; mov ebx, esp */
		{"50 8b 1b", "UV", 1, 0, 0},	      /* push eax; mov ebx, [ebx] */
		{"48 01 c8 48 01 cb", "UV", 1, 0, 0}, /* REX is not a prefix: add rax, rcx; add rbx, rcx */
	};

	(void)state;
	check_examples(examples, ARRAY_LENGTH(examples));
}

/* "Unpairability Due to Opcode", displacement with immediate, prefixes, length. */
static void opcodes(void **state)
{
	static const struct example examples[] = {
		{"11 c8 ff c3", "UV", 1, 0, 0},	   /* PU: adc eax, ecx; inc ebx */
		{"ff c3 11 c8", "UU", 2, 0, 0},	   /* inc ebx; adc eax, ecx */
		{"c1 e0 03 ff c3", "UV", 1, 0, 0}, /* shl eax, 3; inc ebx */
		{"ff c3 c1 e0 03", "UU", 2, 0, 0},
		{"d1 c0 ff c3", "UV", 1, 0, 0},		       /* rol eax, 1; inc ebx */
		{"c1 c0 03 ff c3", "UU", 2, 0, 0},	       /* rol eax, 3: NP */
		{"d3 e0 ff c3", "UU", 5, 0, 0},		       /* shl eax, cl: NP, 4 cycles */
		{"f7 d8 ff c3", "UU", 2, 0, 0},		       /* neg eax: NP */
		{"75 00 ff c3", "UU", 2, 0, 0},		       /* PV: jne; inc ebx */
		{"a9 01 00 00 00 ff c3", "UV", 1, 0, 0},       /* test eax, 1 in its short encoding; inc ebx */
		{"f7 c1 01 00 00 00 ff c3", "UU", 2, 0, 0},    /* test ecx, 1; inc ebx */
		{"c7 00 01 00 00 00 ff c1", "UV", 1, 0, 0},    /* mov dword [eax], 1; inc ecx */
		{"c7 40 04 01 00 00 00 ff c1", "UU", 2, 0, 0}, /* with a displacement too */
		{"ff c1 c7 40 04 01 00 00 00", "UU", 2, 0, 0},
		{"89 43 04 ff c1", "UV", 1, 0, 0}, /* a displacement alone: mov [ebx+4], eax; inc ecx */
		{"ff c1 89 43 04", "UV", 1, 0, 0},
		{"66 89 c8 ff c3", "UV", 2, 0, 1}, /* a prefix, in U: mov ax, cx; inc ebx */
		{"ff c3 66 89 c8", "UU", 3, 0, 1},
		{"64 66 89 c8 ff c3", "UV", 3, 0, 2},
		{"0f b6 c1", "U", 4, 0, 1},			  /* movzx eax, cl: "totaling four" */
		{"66 8b 84 8b 00 01 00 00 ff c2", "UU", 3, 0, 1}, /* 8 bytes: mov ax, [ebx+ecx*4+256]; inc edx */
		{"67 8b 84 8b 00 01 00 00 ff c2", "UV", 1, 0, 0}, /* 7 bytes on a P5, which needs no 67 */
		{"90 90 90", "UVU", 2, 0, 0},
		{"0f 44 c1 ff c3", "UU", 1, 0, 0}, /* cmovz: unknown, hence no cycles */
	};

	(void)state;
	check_examples(examples, ARRAY_LENGTH(examples));
}

/* "Restrictions on Pair Execution". */
static void memory(void **state)
{
	static const struct example examples[] = {
		{"03 06 03 1f", "UV", 2, 0, 0}, /* add eax, [esi]; add ebx, [edi] */
		{"01 06 01 1f", "UV", 5, 0, 0}, /* add [esi], eax; add [edi], ebx */
		{"03 06 01 1f", "UV", 3, 0, 0}, /* add eax, [esi]; add [edi], ebx */
		{"01 06 03 1f", "UV", 4, 0, 0}, /* add [esi], eax; add ebx, [edi] */
		{"89 06 8b 1f", "UV", 1, 0, 0}, /* mov [esi], eax; mov ebx, [edi] */
		{"8b 06 01 1f", "UV", 3, 0, 0}, /* mov eax, [esi]; add [edi], ebx */
		{"3b 06 75 00", "UV", 2, 0, 0}, /* cmp eax, [esi]; jne */
	};

	(void)state;
	check_examples(examples, ARRAY_LENGTH(examples));
}

/* "Address Generation Interlock". */
static void addresses(void **state)
{
	static const struct example examples[] = {
		{"83 c2 04 8b 32", "UU", 3, 1, 0},			/* add edx, 4; mov esi, [edx] */
		{"83 ec 18 53", "UU", 3, 1, 0},				/* sub esp, 24; push ebx */
		{"89 ec 5d", "UU", 3, 1, 0},				/* mov esp, ebp; pop ebp */
		{"83 c4 18 c3", "UU", 4, 1, 0},				/* add esp, 24; ret */
		{"57 8b 1c 24", "UU", 2, 0, 0},				/* push edi; mov ebx, [esp]: none */
		{"83 c2 04 8d 42 01", "UU", 3, 1, 0},			/* lea eax, [edx+1] */
		{"83 c2 04 89 c8 8b 32", "UVU", 3, 1, 0},		/* a pair between is not a cycle between */
		{"83 c2 04 89 c8 89 fb 89 f9 8b 32", "UVUVU", 3, 0, 0}, /* a cycle between */
		{"83 c2 04 89 c8 89 fb 8b 32", "UVUV", 3, 1, 0},	/* the instruction in V delays both */
		{"66 ff c2 66 8b 32", "UU", 4, 0, 2},			/* hidden by the cycle of a prefix */
		{"03 16 8b 32", "UU", 4, 1, 0},				/* add edx, [esi]; mov esi, [edx] */
	};
	struct code code;

	(void)state;
	check_examples(examples, ARRAY_LENGTH(examples));
	/* The waiting instruction is charged. */
	code_init(&code, "83 c2 04 89 c8 89 fb 8b 32");
	code_run(&code, 10, PAIRING_REAL);
	assert_int_equal(code.insns[0].mcyc, CYCLES(10));
	assert_int_equal(code.insns[1].mcyc, 0);
	assert_int_equal(code.insns[2].mcyc, CYCLES(10));
	assert_int_equal(code.insns[3].mcyc, CYCLES(10));
	assert_int_equal(code.insns[3].v_executions, 10);
}

static void x87(void **state)
{
	static const struct example examples[] = {
		{"d8 06 d9 c9", "UV", 1, 0, 0}, /* fadd dword [esi]; fxch */
		{"d9 06 d9 c9", "UV", 1, 0, 0}, /* fld dword [esi]; fxch */
		{"d9 c9 d8 06", "UU", 2, 0, 0}, /* fxch goes through V only */
		{"ff c0 d9 c9", "UU", 2, 0, 0}, /* but does not pair with integers */
		{"d8 06 ff c0", "UU", 2, 0, 0}, /* fadd; inc eax */
		{"d9 c9 d9 c9", "UU", 2, 0, 0},
		{"d8 c1 d8 c1", "UU", 4, 0, 0},		       /* fadd st0, st1 waits for the previous one */
		{"d8 c1 d9 ca d8 c3", "UVU", 2, 0, 0},	       /* fxch brings up a ready register */
		{"d8 c1 d9 ca d9 ca d8 c3", "UVUU", 4, 0, 0},  /* and back */
		{"d9 06 d9 1e", "UU", 4, 0, 0},		       /* fstp waits an extra cycle: fld 1, 1, fstp 2 */
		{"d8 06 d9 1e", "UU", 6, 0, 0},		       /* fadd 3, 1, fstp 2 */
		{"d8 06 d9 06 de c1 d9 1e", "UUUU", 9, 0, 0},  /* faddp begins at 3, ends at 6, stored from 7 */
		{"d8 f1 ff c1 ff c2", "UUV", 2, 0, 0},	       /* integers continue after fdiv */
		{"d8 f1 ff c1 ff c2 d8 c1", "UUVU", 40, 0, 0}, /* fadd does not */
		{"d8 d1 df e0", "UU", 6, 0, 0},		       /* fcom 4; fnstsw 2 */
		{"df 06 df 06", "UU", 2, 0, 0},		       /* fild twice: 3, a cycle apart */
		{"d9 fa", "U", 70, 0, 0},
	};
	struct code code;

	(void)state;
	check_examples(examples, ARRAY_LENGTH(examples));
	/* The instruction that others waited for is charged. */
	code_init(&code, "d8 f1 ff c1 ff c2 d8 c1");
	code_run(&code, 1, PAIRING_REAL);
	assert_int_equal(code.insns[0].mcyc, CYCLES(38));
	assert_int_equal(code.insns[1].mcyc, CYCLES(1));
	assert_int_equal(code.insns[2].mcyc, 0);
	assert_int_equal(code.insns[3].mcyc, CYCLES(1));
}

static void verdicts(void **state)
{
	static const struct {
		const char *hex;
		enum pairing_verdict verdict;
	} rows[] = {
		{"01 c8 01 cb", PAIRING_ALLOWED},
		{"01 c8 01 c8", UNPAIRED_BY_DEPENDENCE},
		{"ff c3 11 c8", UNPAIRED_BY_CLASS},
		{"75 00 ff c3", UNPAIRED_BY_CLASS},
		{"c7 40 04 01 00 00 00 ff c1", UNPAIRED_BY_DISPLACEMENT_AND_IMMEDIATE},
		{"ff c3 66 89 c8", UNPAIRED_BY_PREFIX},
		{"66 8b 84 8b 00 01 00 00 ff c2", UNPAIRED_BY_LENGTH},
	};
	struct code code;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		code_init(&code, rows[i].hex);
		if (pairing_check(&code.insns[0], &code.insns[1]) != rows[i].verdict)
			fail_msg("%s: not %d", rows[i].hex, rows[i].verdict);
	}
	/* The cost of failed pairing: two pairs instead of four single instructions. */
	code_init(&code, "01 c8 01 c8 01 c8 01 c8");
	assert_int_equal(code_run(&code, 3, PAIRING_REAL).mcyc, CYCLES(12));
	assert_int_equal(code_run(&code, 3, PAIRING_IDEAL).mcyc, CYCLES(6));
}

/* Any code: at most half goes through V, charges add up to the total, counts only multiply, and a cut after a branch
 * changes nothing. */
static void properties(void **state)
{
	static const char *const pool[] = {
		" 01 c8",	" 01 cb",    " 8b 32",	  " 89 32",    " 01 0a", " 03 0a", " 83 c2 04",
		" 50",		" 59",	     " 66 89 c8", " 0f b6 c1", " 75 00", " eb 00", " c7 42 04 01 00 00 00",
		" d3 e0",	" c1 e0 03", " 83 ec 08", " d8 c1",    " d9 ca", " d9 1e", " d8 f1",
		" 48 8d 04 0b", " 0f a2",    " 0f 44 c1", " f3 a4",    " 11 c8",
	};
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		char hex[MAX_INSNS * INSN_MAX_BYTES * 3] = "";
		struct pairing_totals once, many, ideal, parts = {0};
		struct pairing_state rest = {0};
		uint64_t v_executions = 0;
		mcyc_t charged = 0;
		size_t n = 1 + (size_t)round % 24, first = 0;
		struct code code;

		for (size_t i = 0; i < n; i++) {
			seed = seed * 1664525 + 1013904223; /* Numerical Recipes, "Quick and Dirty" generators */
			strcat(hex, pool[(seed >> 16) % ARRAY_LENGTH(pool)]);
		}
		code_init(&code, hex);
		assert_int_equal(code.n, n);
		once = code_run(&code, 1, PAIRING_REAL);
		for (size_t i = 0; i < n; i++) {
			charged += code.insns[i].mcyc;
			v_executions += code.insns[i].v_executions;
		}
		assert_int_equal(charged, once.mcyc);
		assert_int_equal(v_executions, once.v_executions);
		assert_true(v_executions * 2 <= n);
		assert_true(once.address_mcyc + once.prefix_mcyc <= once.mcyc);
		many = code_run(&code, 1000, PAIRING_REAL);
		assert_int_equal(many.mcyc, once.mcyc * 1000);
		assert_int_equal(many.v_executions, once.v_executions * 1000);
		ideal = code_run(&code, 1, PAIRING_IDEAL);
		assert_true(ideal.v_executions >= once.v_executions);

		for (size_t i = 0; i < n; i++) {
			if (!code.insns[i].is_branch && i + 1 < n)
				continue;
			pairing_run(code.insns, &(struct pairing_sequence){code.path + first, i + 1 - first, 1},
				    PAIRING_REAL, &rest, &parts);
			first = i + 1;
		}
		assert_int_equal(parts.mcyc, once.mcyc);
		assert_int_equal(parts.v_executions, once.v_executions);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(article),  cmocka_unit_test(dependence), cmocka_unit_test(opcodes),
		cmocka_unit_test(memory),   cmocka_unit_test(addresses),  cmocka_unit_test(x87),
		cmocka_unit_test(verdicts), cmocka_unit_test(properties),
	};

	return cmocka_run_group_tests(tests, load_model, destroy_model);
}
