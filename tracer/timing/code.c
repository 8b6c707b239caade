#include "timing/code.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "decode/encode.h"

#define CAPACITY_BYTES (1 << 20)
/* Loops begin at a cache line, so that instruction fetch is the same in every generated function. */
#define LOOP_ALIGNMENT 64
#define N_MASKS 8
/* Intel SDM vol. 1, 10.2.3: all exceptions masked, flush to zero, denormals are zeros. */
#define MXCSR_FLUSHING 0x9fc0

struct writer {
	uint8_t *at, *end;
	bool is_full;
};

static void append(struct writer *writer, const void *bytes, size_t n_bytes)
{
	if ((size_t)(writer->end - writer->at) < n_bytes) {
		writer->is_full = true;
		return;
	}
	memcpy(writer->at, bytes, n_bytes);
	writer->at += n_bytes;
}

/* Appends a load of a register from the state, which RDI points to. */
static void append_load(struct writer *writer, const char *form_text, uint8_t number, size_t offset)
{
	const struct insn_choice choice = {.registers = {number, GENERAL_RDI}, .displacement = (int32_t)offset};
	uint8_t bytes[INSN_MAX_BYTES];
	size_t length = insn_encode(form_text, &choice, bytes);

	assert(length);
	append(writer, bytes, length);
}

static void append_vectors(struct writer *writer, enum timed_code_vectors vectors)
{
	static const char *const loads[] = {[TIMED_CODE_XMM] = "MOVUPS xmm, m128",
					    [TIMED_CODE_YMM] = "VMOVUPS ymm, m256",
					    [TIMED_CODE_ZMM] = "VMOVUPS zmm, m512"};
	static const uint8_t vzeroupper[] = {0xc5, 0xf8, 0x77};

	if (timed_code_widest_vectors() > TIMED_CODE_XMM)
		append(writer, vzeroupper, sizeof(vzeroupper));
	for (uint8_t i = 0; i < TIMED_CODE_ZERO_VECTOR; i++)
		append_load(writer, loads[vectors], i, offsetof(struct timed_code_state, vector));
	append_load(writer, loads[vectors], TIMED_CODE_ZERO_VECTOR, offsetof(struct timed_code_state, zero));
	for (uint8_t i = 1; i < N_MASKS && timed_code_widest_vectors() == TIMED_CODE_ZMM; i++)
		append_load(writer, "KMOVQ k, m64", i, offsetof(struct timed_code_state, mask));
}

static void append_prologue(struct writer *writer, enum timed_code_vectors vectors)
{
	static const uint8_t save[] = {
		0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, /* push rbx, rbp, r12 to r15 */
		0x48, 0x83, 0xec, 0x08,					    /* sub rsp, 8 */
		0x0f, 0xae, 0x1c, 0x24,					    /* stmxcsr [rsp] */
		0x49, 0x89, 0xf7,					    /* mov r15, rsi */
		0xfc, 0xdb, 0xe3,					    /* cld; fninit */
	};
	static const uint8_t fld1[] = {0xd9, 0xe8};

	append(writer, save, sizeof(save));
	for (int i = 0; i < INSN_N_ST; i++)
		append(writer, fld1, sizeof(fld1));
	append_vectors(writer, vectors);
	append_load(writer, "LDMXCSR m32", GENERAL_RDI, offsetof(struct timed_code_state, mxcsr));
	for (uint8_t i = 0; i < INSN_N_GENERAL - 1; i++)
		if (i != GENERAL_RSP && i != GENERAL_RDI)
			append_load(writer, "MOV r64, m64", i, offsetof(struct timed_code_state, general) + 8u * i);
	append_load(writer, "MOV r64, m64", GENERAL_RDI, offsetof(struct timed_code_state, general) + 8 * GENERAL_RDI);
}

static void append_epilogue(struct writer *writer)
{
	static const uint8_t vzeroupper[] = {0xc5, 0xf8, 0x77};
	static const uint8_t restore[] = {
		0x0f, 0x77, 0xfc,					    /* emms; cld */
		0x0f, 0xae, 0x14, 0x24,					    /* ldmxcsr [rsp] */
		0x48, 0x83, 0xc4, 0x08,					    /* add rsp, 8 */
		0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, /* pop r15 to r12, rbp, rbx */
		0xc3,							    /* ret */
	};

	if (timed_code_widest_vectors() > TIMED_CODE_XMM)
		append(writer, vzeroupper, sizeof(vzeroupper));
	append(writer, restore, sizeof(restore));
}

static void append_loop(struct writer *writer, const struct timed_code_body *body)
{
	static const uint8_t count_down[] = {0x49, 0xff, 0xcf, 0x0f, 0x85}; /* dec r15; jnz rel32 */
	static const uint8_t nop = 0x90;
	const uint8_t *begin;
	int32_t distance;

	while ((uintptr_t)writer->at % LOOP_ALIGNMENT && !writer->is_full)
		append(writer, &nop, 1);
	begin = writer->at;
	if (body->before)
		append(writer, body->before, body->n_before);
	for (size_t i = 0; i < body->n_copies; i++)
		append(writer, body->bytes, body->n_bytes);
	if (body->after)
		append(writer, body->after, body->n_after);
	append(writer, count_down, sizeof(count_down));
	distance = (int32_t)(begin - (writer->at + sizeof(distance)));
	append(writer, &distance, sizeof(distance));
}

enum timed_code_vectors timed_code_widest_vectors(void)
{
	/* KMOVQ needs AVX512BW, which all CPUs with AVX-512 have since Skylake. */
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
		return TIMED_CODE_ZMM;
	return __builtin_cpu_supports("avx") ? TIMED_CODE_YMM : TIMED_CODE_XMM;
}

void timed_code_state_init(struct timed_code_state *state, uint64_t element, size_t element_bytes)
{
	*state = (struct timed_code_state){.mxcsr = MXCSR_FLUSHING, .mask = UINT64_MAX};
	for (size_t i = 0; i < INSN_N_GENERAL; i++)
		state->general[i] = 1;
	for (size_t i = 0; i < TIMED_CODE_VECTOR_BYTES; i += element_bytes)
		memcpy(&state->vector[i], &element, element_bytes);
}

bool timed_code_init(struct timed_code *code, struct error *err)
{
	void *memory = mmap(NULL, CAPACITY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot get memory for the code to time");
	if (mprotect(memory, CAPACITY_BYTES, PROT_READ | PROT_EXEC)) {
		error_set_errno(err, ERROR_ENVIRONMENT, "this system does not allow generated code to run");
		munmap(memory, CAPACITY_BYTES);
		return false;
	}
	*code = (struct timed_code){.memory = memory, .n_capacity = CAPACITY_BYTES};
	return true;
}

void timed_code_deinit(struct timed_code *code)
{
	munmap(code->memory, code->n_capacity);
	*code = (struct timed_code){0};
}

timed_code_function timed_code_add(struct timed_code *code, const struct timed_code_body *body)
{
	uint8_t *begin = code->memory + code->n_used;
	struct writer writer = {.at = begin, .end = code->memory + code->n_capacity};
	int status = mprotect(code->memory, code->n_capacity, PROT_READ | PROT_WRITE);

	assert(status == 0); /* worked in timed_code_init */
	append_prologue(&writer, body->vectors);
	append_loop(&writer, body);
	append_epilogue(&writer);
	status = mprotect(code->memory, code->n_capacity, PROT_READ | PROT_EXEC);
	assert(status == 0);
	if (writer.is_full)
		return NULL;
	code->n_used = (size_t)(writer.at - code->memory);
	return (timed_code_function)(void *)begin;
}

void timed_code_forget(struct timed_code *code, size_t n_used)
{
	assert(n_used <= code->n_used);
	code->n_used = n_used;
}
