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
	enum symbolic_operation symbolic;
} symbolic_words[] = {
	{"ADD", SYMBOLIC_ADD},		 {"SUB", SYMBOLIC_SUB},
	{"INC", SYMBOLIC_INC},		 {"DEC", SYMBOLIC_DEC},
	{"LEA", SYMBOLIC_LEA},		 {"MOVZX", SYMBOLIC_EXTEND},
	{"MOVSX", SYMBOLIC_SIGN_EXTEND}, {"MOVSXD", SYMBOLIC_SIGN_EXTEND},
};

/* Looks up the form with a register in place of the memory operand. The latency of that form excludes the load. Returns
 * false if the model has no such form. */
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

static void add_use(struct form_attributes *attributes, port_set_t ports, uint32_t mcyc)
{
	for (uint32_t i = 0; i < attributes->n_uses; i++)
		if (attributes->uses[i].ports == ports) {
			attributes->uses[i].mcyc += mcyc;
			return;
		}
	if (attributes->n_uses < MAX_PORT_USES)
		attributes->uses[attributes->n_uses++] = (struct port_use){ports, mcyc};
	else
		attributes->uses[MAX_PORT_USES - 1].mcyc += mcyc; /* no row of a cost table has so many */
}

/* Adds the port uses of a row, such as "p0156:1 p23:1", or of a rule, such as "p0156:1,p23:1". */
static void add_ports(struct pipeline *pipeline, struct form_attributes *attributes, const char *text, size_t n_text,
		      bool reads, bool writes)
{
	const struct machine_parameters *parameters = &pipeline->parameters;
	const char *end = text + n_text;

	while (text < end) {
		size_t n = strcspn(text, ":");
		char *after;
		uint32_t mcyc = (uint32_t)(strtod(text + n + 1, &after) * MCYC_PER_CYCLE + 0.5);
		port_set_t ports;

		if (!machine_find_ports(pipeline, text, n, &ports))
			ports = parameters->alu_ports;
		if (writes && ports == parameters->store_data_ports && parameters->store_cycles)
			attributes->store_data_mcyc = parameters->store_cycles * MCYC_PER_CYCLE;
		else if (writes && ports == parameters->store_data_ports && parameters->store_address_ports)
			attributes->store_data_mcyc += mcyc;
		else if (writes && ports == parameters->store_address_ports && ports != parameters->load_ports)
			attributes->store_address_mcyc += mcyc;
		else if ((reads || writes) && ports == parameters->load_ports)
			attributes->load_mcyc += mcyc;
		else
			add_use(attributes, ports, mcyc);
		text = after + strspn(after, " ,");
	}
	/* The row names no port for a store's data. */
	if (writes && !attributes->store_data_mcyc && parameters->store_cycles)
		attributes->store_data_mcyc = parameters->store_cycles * MCYC_PER_CYCLE;
	/* If loads and store addresses share ports, the cycles of the row on these ports include one cycle for a
	 * store address per cycle for store data. */
	if (writes && parameters->store_address_ports == parameters->load_ports) {
		uint32_t address = attributes->store_data_mcyc < attributes->load_mcyc ? attributes->store_data_mcyc
										       : attributes->load_mcyc;

		attributes->store_address_mcyc += address;
		attributes->load_mcyc -= address;
	}
}

static uint32_t to_uops(uint32_t mcyc)
{
	return (mcyc + MCYC_PER_CYCLE / 2) / MCYC_PER_CYCLE;
}

/* Rows of Intel's CPUs count unfused micro-operations. Rows of AMD's CPUs count fused ones. */
static void count_uops(const struct pipeline *pipeline, struct form_attributes *attributes, const struct cost *cost,
		       bool ports_are_stated)
{
	uint32_t pairs;

	for (uint32_t i = 0; i < attributes->n_uses; i++)
		if (!(attributes->uses[i].ports &
		      (pipeline->parameters.divider_ports | pipeline->parameters.memory_ports)))
			attributes->operation_uops += to_uops(attributes->uses[i].mcyc);
	attributes->loads = to_uops(attributes->load_mcyc);
	attributes->stores = to_uops(attributes->store_data_mcyc);
	if (pipeline->parameters.counts_fused) {
		attributes->fused_uops = cost->uops ? cost->uops : 1;
		return;
	}
	if (!ports_are_stated && cost->uops > attributes->operation_uops + attributes->loads + 2 * attributes->stores)
		attributes->operation_uops = cost->uops - attributes->loads - 2 * attributes->stores;
	pairs = attributes->loads && attributes->operation_uops && !(attributes->flags & FORM_NO_FUSION);
	attributes->fused_uops = attributes->operation_uops + attributes->loads + attributes->stores - pairs;
	if (cost->fused && !ports_are_stated)
		attributes->fused_uops = cost->fused;
	if (!attributes->fused_uops)
		attributes->fused_uops = 1;
}

static enum symbolic_operation symbolic_operation_of(const char *form, const struct insn_operands *operands)
{
	size_t n = form_text_mnemonic_bytes(form);

	if (n == 3 && strncmp(form, "MOV", 3) == 0 && operands->n_operands == 2)
		return operands->operands[1].kind == OPERAND_IMMEDIATE ? SYMBOLIC_IMMEDIATE : SYMBOLIC_COPY;
	if ((n == 4 && strncmp(form, "PUSH", 4) == 0) || (n == 3 && strncmp(form, "POP", 3) == 0))
		return SYMBOLIC_COPY;
	for (size_t i = 0; i < ARRAY_LENGTH(symbolic_words); i++)
		if (n == strlen(symbolic_words[i].mnemonic) && strncmp(form, symbolic_words[i].mnemonic, n) == 0)
			return symbolic_words[i].symbolic;
	return SYMBOLIC_OTHER;
}

/* An unknown form is assumed to be one micro-operation of one cycle, plus its memory accesses. */
static void set_defaults(struct pipeline *pipeline, struct form_attributes *attributes, bool reads, bool writes)
{
	const struct machine_parameters *parameters = &pipeline->parameters;

	attributes->latency_mcyc = MCYC_PER_CYCLE;
	add_use(attributes, parameters->alu_ports, MCYC_PER_CYCLE);
	attributes->load_mcyc = reads ? MCYC_PER_CYCLE : 0;
	attributes->store_data_mcyc = writes ? MCYC_PER_CYCLE : 0;
	attributes->store_address_mcyc = writes && parameters->store_address_ports ? MCYC_PER_CYCLE : 0;
}

static void set_latency(const struct pipeline *pipeline, struct form_attributes *attributes, const struct cost *cost,
			bool reads)
{
	int64_t load_mcyc = (int64_t)pipeline->parameters.load_latency * MCYC_PER_CYCLE;
	struct cost register_form;

	attributes->is_pure_move = !attributes->operation_uops && (reads || attributes->stores);
	if (attributes->is_pure_move)
		attributes->latency_mcyc = 0;
	else if (reads && lookup_register_form(pipeline, attributes->text, &register_form))
		attributes->latency_mcyc = (uint32_t)register_form.latency_mcyc;
	else if (reads)
		attributes->latency_mcyc = (uint32_t)(cost->latency_mcyc > load_mcyc ? cost->latency_mcyc - load_mcyc
										     : MCYC_PER_CYCLE);
	else
		attributes->latency_mcyc = (uint32_t)cost->latency_mcyc;
}

/* Reads latencies from registers and flags out of the text `latencies` (data/FORMAT.md). Of several latencies from
 * one source the longest counts. */
static void set_operand_latencies(struct form_attributes *attributes, const char *latencies)
{
	for (size_t i = 0; i < MAX_FORM_OPERANDS; i++)
		attributes->operand_mcyc[i] = NOT_STATED;
	attributes->flags_mcyc = NOT_STATED;
	while (latencies && *latencies) {
		size_t n_word = strcspn(latencies, " "), n_from = strcspn(latencies, ">");
		const char *to = latencies + n_from + 1, *colon = memchr(latencies, ':', n_word);
		uint32_t *place = NULL;

		if (n_from == 1 && *latencies > '0' && *latencies <= '0' + MAX_FORM_OPERANDS)
			place = &attributes->operand_mcyc[*latencies - '1'];
		else if (n_from == strlen("flags") && strncmp(latencies, "flags", n_from) == 0)
			place = &attributes->flags_mcyc;
		if (place && colon && strncmp(to, "mem:", strlen("mem:")) != 0) {
			uint32_t mcyc = (uint32_t)(strtod(colon + 1, NULL) * MCYC_PER_CYCLE + 0.5);

			if (*place == NOT_STATED || *place < mcyc)
				*place = mcyc;
		}
		latencies += n_word;
		latencies += strspn(latencies, " ");
	}
}

static struct form_attributes *create(struct pipeline *pipeline, const char *form, const struct insn_operands *operands)
{
	struct form_attributes *attributes = xcalloc(1, sizeof(*attributes));
	struct rule_attributes rules = {.latency = -1, .fused = -1};
	bool has_rule = machine_apply_rules(pipeline, form, &rules);
	struct cost cost;

	attributes->text = xstrdup(form);
	attributes->flags = rules.flags;
	attributes->merge_mcyc = (uint32_t)rules.merge * MCYC_PER_CYCLE;
	attributes->symbolic = symbolic_operation_of(form, operands);
	model_lookup(pipeline->model, form, &cost);
	attributes->match = has_rule && (rules.ports || rules.flags & (FORM_ZERO | FORM_MOVE | FORM_NOP)) ? COST_EXACT
													  : cost.match;
	/* Only Jcc has a relative operand and reads flags. */
	if (form[0] == 'J' && operands->read.flags && operands->relative_bytes)
		attributes->flags |= FORM_JUMP;
	if (rules.flags & FORM_NOP) {
		attributes->fused_uops = 1;
		set_operand_latencies(attributes, NULL);
		return attributes;
	}
	if (attributes->match == COST_UNKNOWN)
		set_defaults(pipeline, attributes, operands->reads_memory, operands->writes_memory);
	else if (rules.ports)
		add_ports(pipeline, attributes, rules.ports, rules.ports_length, operands->reads_memory,
			  operands->writes_memory);
	else if (cost.ports)
		add_ports(pipeline, attributes, cost.ports, strlen(cost.ports), operands->reads_memory,
			  operands->writes_memory);
	count_uops(pipeline, attributes, &cost, rules.ports);
	if (attributes->match != COST_UNKNOWN)
		set_latency(pipeline, attributes, &cost, operands->reads_memory);
	/* A rule's latency applies to all operands. */
	set_operand_latencies(attributes,
			      rules.latency >= 0 || attributes->match != COST_EXACT ? NULL : cost.latencies);
	if (rules.latency >= 0)
		attributes->latency_mcyc = (uint32_t)rules.latency * MCYC_PER_CYCLE;
	if (rules.fused >= 0)
		attributes->fused_uops = (uint32_t)rules.fused;
	return attributes;
}

const struct form_attributes *machine_find_form(struct pipeline *pipeline, const char *form,
						const struct insn_operands *operands)
{
	uint32_t number = text_index_get(&pipeline->forms_by_text, form, strlen(form));

	if (number == TEXT_INDEX_NONE) {
		struct form_attributes *attributes = create(pipeline, form, operands);

		number = (uint32_t)pipeline->n_forms;
		*ARRAY_ADD(pipeline, forms) = attributes;
		text_index_put(&pipeline->forms_by_text, attributes->text, strlen(attributes->text), number);
	}
	return pipeline->forms[number];
}
