#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/estimators/pipeline/machine.h"
#include "costmodels/model/form_text.h"
#include "decode/insn.h"

static const struct {
	const char *mnemonic;
	enum symbolic symbolic;
} symbolic_words[] = {
	{"ADD", SYMBOLIC_ADD},		 {"SUB", SYMBOLIC_SUB},
	{"INC", SYMBOLIC_INC},		 {"DEC", SYMBOLIC_DEC},
	{"LEA", SYMBOLIC_LEA},		 {"MOVZX", SYMBOLIC_EXTEND},
	{"MOVSX", SYMBOLIC_SIGN_EXTEND}, {"MOVSXD", SYMBOLIC_SIGN_EXTEND},
};

/* The figures of the form with a register in place of its memory operand; false if the model has none. What of a load's
 * latency is the operation's cannot be read off its own row, because register operands do not wait for the load. */
static bool lookup_register_form(const struct pipeline *pipeline, const char *form, struct cost *out)
{
	struct form_parts parts;
	char text[FORM_TEXT_BYTES + 16];
	const char *vector = NULL;
	const struct form_operand *memory = NULL;
	char reg[8];

	if (!form_text_parse(form, &parts))
		return false;
	for (size_t i = 0; i < parts.n_operands; i++) {
		const struct form_operand *operand = &parts.operands[i];

		if (!memory && form_operand_is_memory(operand) && operand->width)
			memory = operand;
		else if (form_operand_is_vector(operand))
			vector = form_operand_is(operand, "mm") ? "mm" : "xmm";
	}
	if (!memory)
		return false;
	if (!vector)
		snprintf(reg, sizeof(reg), "r%u", memory->width);
	else if (memory->width == 256 || memory->width == 512)
		snprintf(reg, sizeof(reg), "%s", memory->width == 256 ? "ymm" : "zmm");
	else
		snprintf(reg, sizeof(reg), "%s", vector);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(memory->text - form), form, reg, memory->text + memory->n_text);
	model_lookup(pipeline->model, text, out);
	return out->match != COST_UNKNOWN;
}

static void add_use(struct form_facts *facts, port_set_t ports, uint32_t mcyc)
{
	for (uint32_t i = 0; i < facts->n_uses; i++)
		if (facts->uses[i].ports == ports) {
			facts->uses[i].mcyc += mcyc;
			return;
		}
	if (facts->n_uses < MAX_PORT_USES)
		facts->uses[facts->n_uses++] = (struct port_use){ports, mcyc};
	else
		facts->uses[MAX_PORT_USES - 1].mcyc += mcyc; /* no row has as many sets */
}

/* "p0156:1 p23:1" or, in rules, "p0156:1,p23:1". */
static void add_ports(struct pipeline *pipeline, struct form_facts *facts, const char *text, size_t n_text, bool reads,
		      bool writes)
{
	const struct machine_parameters *parameters = &pipeline->parameters;
	const char *end = text + n_text;

	while (text < end) {
		size_t n = strcspn(text, ":");
		char *after;
		uint32_t mcyc = (uint32_t)(strtod(text + n + 1, &after) * MCYC_PER_CYCLE + 0.5);
		port_set_t ports;

		if (!machine_port_set(pipeline, text, n, &ports))
			ports = parameters->alu_ports;
		if (writes && ports == parameters->store_data_ports && parameters->store_cycles)
			facts->store_data_mcyc = parameters->store_cycles * MCYC_PER_CYCLE;
		else if (writes && ports == parameters->store_data_ports && parameters->store_address_ports)
			facts->store_data_mcyc += mcyc;
		else if (writes && ports == parameters->store_address_ports && ports != parameters->load_ports)
			facts->store_address_mcyc += mcyc;
		else if ((reads || writes) && ports == parameters->load_ports)
			facts->load_mcyc += mcyc;
		else
			add_use(facts, ports, mcyc);
		text = after + strspn(after, " ,");
	}
	/* A row that has no port for a store's data. */
	if (writes && !facts->store_data_mcyc && parameters->store_cycles)
		facts->store_data_mcyc = parameters->store_cycles * MCYC_PER_CYCLE;
	/* Where stores take their address on the ports of loads: as much of it as they have data. */
	if (writes && parameters->store_address_ports == parameters->load_ports) {
		uint32_t address = facts->store_data_mcyc < facts->load_mcyc ? facts->store_data_mcyc
									     : facts->load_mcyc;

		facts->store_address_mcyc += address;
		facts->load_mcyc -= address;
	}
}

static uint32_t to_uops(uint32_t mcyc)
{
	return (mcyc + MCYC_PER_CYCLE / 2) / MCYC_PER_CYCLE;
}

/* Rows of Intel's CPUs count micro-operations that are not fused; those of AMD's what is dispatched. */
static void count_uops(const struct pipeline *pipeline, struct form_facts *facts, const struct cost *cost,
		       bool ports_are_stated)
{
	uint32_t pairs;

	for (uint32_t i = 0; i < facts->n_uses; i++)
		if (!(facts->uses[i].ports & (pipeline->parameters.divider_ports | pipeline->parameters.memory_ports)))
			facts->operation_uops += to_uops(facts->uses[i].mcyc);
	facts->loads = to_uops(facts->load_mcyc);
	facts->stores = to_uops(facts->store_data_mcyc);
	if (pipeline->parameters.counts_fused) {
		facts->fused_uops = cost->uops ? cost->uops : 1;
		return;
	}
	if (!ports_are_stated && cost->uops > facts->operation_uops + facts->loads + 2 * facts->stores)
		facts->operation_uops = cost->uops - facts->loads - 2 * facts->stores;
	pairs = facts->loads && facts->operation_uops && !(facts->flags & FORM_NO_FUSION);
	facts->fused_uops = facts->operation_uops + facts->loads + facts->stores - pairs;
	if (cost->fused && !ports_are_stated)
		facts->fused_uops = cost->fused;
	if (!facts->fused_uops)
		facts->fused_uops = 1;
}

static enum symbolic symbolic_of(const char *form, const struct insn_operands *operands)
{
	size_t n = form_text_mnemonic(form);

	if (n == 3 && strncmp(form, "MOV", 3) == 0 && operands->n_operands == 2)
		return operands->operands[1].kind == OPERAND_IMMEDIATE ? SYMBOLIC_IMMEDIATE : SYMBOLIC_COPY;
	if ((n == 4 && strncmp(form, "PUSH", 4) == 0) || (n == 3 && strncmp(form, "POP", 3) == 0))
		return SYMBOLIC_COPY;
	for (size_t i = 0; i < ARRAY_LENGTH(symbolic_words); i++)
		if (n == strlen(symbolic_words[i].mnemonic) && strncmp(form, symbolic_words[i].mnemonic, n) == 0)
			return symbolic_words[i].symbolic;
	return SYMBOLIC_OTHER;
}

/* Unknown: one micro-operation of one cycle, and what its operands say of memory. */
static void assume(struct pipeline *pipeline, struct form_facts *facts, bool reads, bool writes)
{
	const struct machine_parameters *parameters = &pipeline->parameters;

	facts->latency_mcyc = MCYC_PER_CYCLE;
	add_use(facts, parameters->alu_ports, MCYC_PER_CYCLE);
	facts->load_mcyc = reads ? MCYC_PER_CYCLE : 0;
	facts->store_data_mcyc = writes ? MCYC_PER_CYCLE : 0;
	facts->store_address_mcyc = writes && parameters->store_address_ports ? MCYC_PER_CYCLE : 0;
}

static void set_latency(const struct pipeline *pipeline, struct form_facts *facts, const struct cost *cost, bool reads)
{
	int64_t load_mcyc = (int64_t)pipeline->parameters.load_latency * MCYC_PER_CYCLE;
	struct cost plain;

	facts->is_pure_move = !facts->operation_uops && (reads || facts->stores);
	if (facts->is_pure_move)
		facts->latency_mcyc = 0;
	else if (reads && lookup_register_form(pipeline, facts->form, &plain))
		facts->latency_mcyc = (uint32_t)plain.latency_mcyc;
	else if (reads)
		facts->latency_mcyc = (uint32_t)(cost->latency_mcyc > load_mcyc ? cost->latency_mcyc - load_mcyc
										: MCYC_PER_CYCLE);
	else
		facts->latency_mcyc = (uint32_t)cost->latency_mcyc;
}

/* Of `latencies` (data/FORMAT.md) those from registers and flags to registers and flags; of several the longest. */
static void set_operand_latencies(struct form_facts *facts, const char *latencies)
{
	for (size_t i = 0; i < MAX_FORM_OPERANDS; i++)
		facts->operand_mcyc[i] = NOT_STATED;
	facts->flags_mcyc = NOT_STATED;
	while (latencies && *latencies) {
		size_t n_word = strcspn(latencies, " "), n_from = strcspn(latencies, ">");
		const char *to = latencies + n_from + 1, *colon = memchr(latencies, ':', n_word);
		uint32_t *place = NULL;

		if (n_from == 1 && *latencies > '0' && *latencies <= '0' + MAX_FORM_OPERANDS)
			place = &facts->operand_mcyc[*latencies - '1'];
		else if (n_from == strlen("flags") && strncmp(latencies, "flags", n_from) == 0)
			place = &facts->flags_mcyc;
		if (place && colon && strncmp(to, "mem:", strlen("mem:")) != 0) {
			uint32_t mcyc = (uint32_t)(strtod(colon + 1, NULL) * MCYC_PER_CYCLE + 0.5);

			if (*place == NOT_STATED || *place < mcyc)
				*place = mcyc;
		}
		latencies += n_word;
		latencies += strspn(latencies, " ");
	}
}

static struct form_facts *make_facts(struct pipeline *pipeline, const char *form, const struct insn_operands *operands)
{
	struct form_facts *facts = xcalloc(1, sizeof(*facts));
	struct rule_facts rules = {.latency = -1, .fused = -1};
	bool has_rule = rules_apply(pipeline, form, &rules);
	struct cost cost;

	facts->form = xstrdup(form);
	facts->flags = rules.flags;
	facts->merge_mcyc = (uint32_t)rules.merge * MCYC_PER_CYCLE;
	facts->symbolic = symbolic_of(form, operands);
	model_lookup(pipeline->model, form, &cost);
	facts->match = has_rule && (rules.ports || rules.flags & (FORM_ZERO | FORM_MOVE | FORM_NOP)) ? COST_EXACT
												     : cost.match;
	/* Jcc and no other form with a relative operand reads flags. */
	if (form[0] == 'J' && operands->read.flags && operands->relative_bytes)
		facts->flags |= FORM_JUMP;
	if (rules.flags & FORM_NOP) {
		facts->fused_uops = 1;
		set_operand_latencies(facts, NULL);
		return facts;
	}
	if (facts->match == COST_UNKNOWN)
		assume(pipeline, facts, operands->reads_memory, operands->writes_memory);
	else if (rules.ports)
		add_ports(pipeline, facts, rules.ports, rules.n_ports_text, operands->reads_memory,
			  operands->writes_memory);
	else if (cost.ports)
		add_ports(pipeline, facts, cost.ports, strlen(cost.ports), operands->reads_memory,
			  operands->writes_memory);
	count_uops(pipeline, facts, &cost, rules.ports);
	if (facts->match != COST_UNKNOWN)
		set_latency(pipeline, facts, &cost, operands->reads_memory);
	/* A rule's latency is for all. */
	set_operand_latencies(facts, rules.latency >= 0 || facts->match != COST_EXACT ? NULL : cost.latencies);
	if (rules.latency >= 0)
		facts->latency_mcyc = (uint32_t)rules.latency * MCYC_PER_CYCLE;
	if (rules.fused >= 0)
		facts->fused_uops = (uint32_t)rules.fused;
	return facts;
}

const struct form_facts *facts_of(struct pipeline *pipeline, const char *form, const struct insn_operands *operands)
{
	uint32_t number = text_index_get(&pipeline->facts_by_form, form, strlen(form));

	if (number == TEXT_INDEX_NONE) {
		struct form_facts *facts = make_facts(pipeline, form, operands);

		number = (uint32_t)pipeline->n_facts;
		*ARRAY_ADD(pipeline, facts) = facts;
		text_index_put(&pipeline->facts_by_form, facts->form, strlen(facts->form), number);
	}
	return pipeline->facts[number];
}
