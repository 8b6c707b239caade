#include "timing/repeated.h"

#include <string.h>
#include <strings.h>

#include "decode/encode.h"

enum {
	/* Both lengths fit into L1, and both are long enough for the fast way in which CPUs handle long strings. */
	SHORT_BYTES = 256,
	LONG_BYTES = 2048,
	COPIES = 4,
	SOURCE_REGISTER = 10,
	TARGET_REGISTER = 11,
	CONTENT = 0x55,
};

bool repeated_is_form(const char *form_text)
{
	return strncmp(form_text, "REP", 3) == 0 && strchr(form_text, ' ');
}

/* Returns the bytes of one element: the last letter of the mnemonic. */
static size_t element_bytes(const char *form_text)
{
	const char *mnemonic = strchr(form_text, ' ') + 1;

	switch (mnemonic[strcspn(mnemonic, " ") - 1]) {
	case 'B':
		return 1;
	case 'W':
		return 2;
	case 'D':
		return 4;
	default:
		return 8;
	}
}

static bool measure_length(struct instruction_timer *timer, const char *form_text, size_t n_elements,
			   struct clock_result *out)
{
	const struct insn_choice set_source = {.registers = {GENERAL_RSI, SOURCE_REGISTER}},
				 set_target = {.registers = {GENERAL_RDI, TARGET_REGISTER}}, none = {.index = 0};
	uint8_t set_count[] = {0xb9, 0, 0, 0, 0}; /* mov ecx, imm32 */
	uint32_t count = (uint32_t)n_elements;
	struct timed_code_body body = {.n_copies = COPIES};
	struct sequence sequence = {.n_bytes = 0};
	struct timed_code_state state;

	timed_code_state_init(&state, 0, sizeof(uint64_t));
	memset(timer->data, CONTENT, 2 * LONG_BYTES);
	state.general[SOURCE_REGISTER] = (uint64_t)(uintptr_t)timer->data;
	state.general[TARGET_REGISTER] = (uint64_t)(uintptr_t)timer->data + LONG_BYTES;
	/* REPE continues while elements are equal, REPNE while they differ. */
	memset(&state.general[GENERAL_RAX], strncmp(form_text, "REPNE", 5) == 0 ? ~CONTENT : CONTENT, sizeof(uint64_t));
	memcpy(&set_count[1], &count, sizeof(count));
	if (!sequence_append(&sequence, "MOV r64, r64", &set_source) ||
	    !sequence_append(&sequence, "MOV r64, r64", &set_target))
		return false;
	memcpy(sequence.bytes + sequence.n_bytes, set_count, sizeof(set_count));
	sequence.n_bytes += sizeof(set_count);
	if (!sequence_append(&sequence, form_text, &none))
		return false;
	body.bytes = sequence.bytes;
	body.n_bytes = sequence.n_bytes;
	return clock_measure_body(&timer->clock, &timer->code, &body, &state, out);
}

void repeated_measure(struct instruction_timer *timer, const char *form_text, struct instruction_timing *timing)
{
	size_t n_short = SHORT_BYTES / element_bytes(form_text), n_long = LONG_BYTES / element_bytes(form_text);
	struct clock_result short_one, long_one;

	/* Equal elements end REPNE CMPS at once, and INS and OUTS are privileged. */
	timing->is_encoded = strncmp(form_text, "REPNE CMPS", 10) != 0;
	if (!timing->is_encoded || !measure_length(timer, form_text, n_short, &short_one) ||
	    !measure_length(timer, form_text, n_long, &long_one) || long_one.mcyc <= short_one.mcyc)
		return;
	timing->iteration_mcyc = (long_one.mcyc - short_one.mcyc) / (int64_t)(n_long - n_short);
	timing->throughput_mcyc = short_one.mcyc - timing->iteration_mcyc * (int64_t)n_short;
	timing->throughput_spread_permille = short_one.spread_permille > long_one.spread_permille
						     ? short_one.spread_permille
						     : long_one.spread_permille;
	timing->has_throughput = timing->throughput_mcyc > 0;
	timing->reads_memory = !strstr(form_text, "STOS");
	timing->writes_memory = strstr(form_text, "STOS") || strstr(form_text, "MOVS");
}
