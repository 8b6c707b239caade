#include "costmodels/estimators/pipeline/machine.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum parameter_kind { NUMBER, PORTS, UNLAMINATION, PORT_CHOICE, RENAMING };

/* The words for the values of each enum. A NULL follows the last word. */
static const char *const words_of[][4] = {
	[UNLAMINATION] = {[UNLAMINATE_NEVER] = "never",
			  [UNLAMINATE_DESTRUCTIVE_STAYS] = "destructive_stays",
			  [UNLAMINATE_INDEXED] = "indexed"},
	[PORT_CHOICE] = {[PORT_AT_START] = "at_start", [PORT_AT_ISSUE] = "at_issue"},
	[RENAMING] = {[RENAMES_NOTHING] = "nothing", [RENAMES_BASE] = "base", [RENAMES_INDEX] = "index"},
};

static const struct parameter {
	const char *key;
	size_t offset;
	enum parameter_kind kind;
	bool required;
	uint32_t fallback;
} parameters[] = {
#define PARAMETER(name, kind, required, fallback)                                          \
	{                                                                                  \
#name, offsetof(struct machine_parameters, name), kind, required, fallback \
	}
	PARAMETER(issue_width, NUMBER, true, 0),
	PARAMETER(predecode_bytes, NUMBER, false, 0),
	PARAMETER(predecode_width, NUMBER, false, 5),
	PARAMETER(lcp_cycles, NUMBER, false, 0),
	PARAMETER(decoders, NUMBER, false, 0),
	PARAMETER(complex_uops, NUMBER, false, 4),
	PARAMETER(op_cache_width, NUMBER, true, 0),
	PARAMETER(op_cache_fetch_bytes, NUMBER, false, 0),
	PARAMETER(op_cache_window_bytes, NUMBER, false, 0),
	PARAMETER(op_cache_lines, NUMBER, false, 0),
	PARAMETER(op_cache_line_uops, NUMBER, false, 0),
	PARAMETER(loop_buffer, NUMBER, false, 0),
	PARAMETER(jump_window_bytes, NUMBER, false, 0),
	PARAMETER(load_latency, NUMBER, true, 0),
	PARAMETER(scaled_index_cycles, NUMBER, false, 0),
	PARAMETER(simple_load_latency, NUMBER, false, 0),
	PARAMETER(vector_load_latency, NUMBER, true, 0),
	PARAMETER(wide_load_latency, NUMBER, true, 0),
	PARAMETER(store_forward_latency, NUMBER, true, 0),
	PARAMETER(vector_store_forward_latency, NUMBER, true, 0),
	PARAMETER(failed_forward_cycles, NUMBER, true, 0),
	PARAMETER(forwards_by_page, NUMBER, false, 0),
	PARAMETER(tlb_miss_latency, NUMBER, false, 0),
	PARAMETER(last_decoder_fuses, NUMBER, false, 0),
	PARAMETER(memory_renaming, RENAMING, false, RENAMES_NOTHING),
	PARAMETER(store_cycles, NUMBER, false, 0),
	PARAMETER(stack_sync, NUMBER, false, 0),
	PARAMETER(move_fusion, NUMBER, false, 0),
	PARAMETER(paired_alu_percent, NUMBER, false, 0),
	PARAMETER(counts_fused, NUMBER, false, 0),
	PARAMETER(retire_width, NUMBER, false, 0),
	PARAMETER(rob, NUMBER, false, 0),
	PARAMETER(uop_queue, NUMBER, false, 0),
	PARAMETER(instruction_queue, NUMBER, false, 0),
	PARAMETER(load_buffer, NUMBER, false, 0),
	PARAMETER(store_buffer, NUMBER, false, 0),
	PARAMETER(mispredict_cycles, NUMBER, false, 0),
	PARAMETER(scheduler, NUMBER, false, 0),
	PARAMETER(port_choice, PORT_CHOICE, false, PORT_AT_START),
	PARAMETER(unlamination, UNLAMINATION, false, UNLAMINATE_NEVER),
	PARAMETER(fused_jump_ports, PORTS, false, 0),
	PARAMETER(load_ports, PORTS, true, 0),
	PARAMETER(store_address_ports, PORTS, false, 0),
	PARAMETER(store_address_indexed_ports, PORTS, false, 0),
	PARAMETER(store_data_ports, PORTS, true, 0),
	PARAMETER(alu_ports, PORTS, true, 0),
	PARAMETER(divider_ports, PORTS, false, 0),
	PARAMETER(memory_ports, PORTS, false, 0),
#undef PARAMETER
};

/* Limit above the parameters of any CPU. It keeps products of parameters within uint32_t. */
#define MAX_PARAMETER 10000

static bool is_port_suffix(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F');
}

/* Finds "name:VALUE" in a parameter, which is a list of such words. Returns VALUE, or NULL if the name is not in the
 * list. */
static const char *find_value(const struct pipeline *pipeline, const char *key, const char *name, size_t n_name)
{
	const char *text = model_parameter(pipeline->model, key);

	for (; text && *text; text += strcspn(text, " "), text += strspn(text, " "))
		if (strncmp(text, name, n_name) == 0 && text[n_name] == ':')
			return text + n_name + 1;
	return NULL;
}

static bool add_port(struct pipeline *pipeline, const char *name, size_t n_name, char suffix, port_set_t *ports)
{
	char full[40];

	if (n_name + 2 > sizeof(full))
		return false;
	memcpy(full, name, n_name);
	full[n_name] = suffix;
	full[n_name + 1] = '\0';
	for (size_t i = 0; i < pipeline->n_ports; i++)
		if (strcmp(pipeline->port_names[i], full) == 0) {
			*ports |= (port_set_t)1 << i;
			return true;
		}
	if (pipeline->n_ports == PIPELINE_MAX_PORTS)
		return false;
	*ports |= (port_set_t)1 << pipeline->n_ports;
	pipeline->port_names[pipeline->n_ports++] = xstrdup(full);
	return true;
}

/* "p0156" names several ports of one kind. "load" names one port, or loada, loadb ... if llvm_units states several. */
static bool add_kind(struct pipeline *pipeline, const char *name, size_t n_name, port_set_t *ports)
{
	const char *count = find_value(pipeline, "llvm_units", name, n_name);
	unsigned units = count ? (unsigned)strtoul(count, NULL, 10) : 1;
	size_t n_kind = n_name;

	while (n_kind > 1 && is_port_suffix(name[n_kind - 1]))
		n_kind--;
	for (size_t i = n_kind; i < n_name; i++)
		if (!add_port(pipeline, name, n_kind, name[i], ports))
			return false;
	if (n_kind < n_name)
		return true;
	for (unsigned i = 0; i < units; i++)
		if (!add_port(pipeline, name, n_name, units == 1 ? '\0' : (char)('a' + i), ports))
			return false;
	return true;
}

bool machine_find_ports(struct pipeline *pipeline, const char *name, size_t n_name, port_set_t *ports)
{
	const char *mapped = find_value(pipeline, "port_map", name, n_name);

	*ports = 0;
	if (mapped) {
		name = mapped;
		n_name = strcspn(mapped, " ");
	}
	while (n_name) {
		const char *dot = memchr(name, '.', n_name);
		size_t n = dot ? (size_t)(dot - name) : n_name;

		if (n && !add_kind(pipeline, name, n, ports))
			return false;
		name += n + !!dot;
		n_name -= n + !!dot;
	}
	return true;
}

static bool parse_ports(struct pipeline *pipeline, const char *text, port_set_t *ports)
{
	port_set_t all = 0, some;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (!machine_find_ports(pipeline, text, n, &some))
			return false;
		all |= some;
		text += n;
		text += strspn(text, " ");
	}
	*ports = all;
	return all != 0;
}

/* Parses the word of an enum. Members that are enums have the size of uint32_t. */
static bool parse_word(const char *text, const char *const *words, uint32_t *out)
{
	for (uint32_t i = 0; words[i]; i++)
		if (strcmp(text, words[i]) == 0) {
			*out = i;
			return true;
		}
	return false;
}

/* `schedulers = PORTS:ENTRIES ...`. `scheduler = ENTRIES` gives one for all ports. The default is LLVM's. */
static bool read_schedulers(struct pipeline *pipeline, struct error *err)
{
	const char *text = model_parameter(pipeline->model, "schedulers");

	if (!text && pipeline->parameters.scheduler)
		pipeline->schedulers[pipeline->n_schedulers++] = (struct scheduler){~(port_set_t)0,
										    pipeline->parameters.scheduler};
	else if (!text)
		text = model_parameter(pipeline->model, "llvm_schedulers");
	while (text && *text) {
		struct scheduler *scheduler = &pipeline->schedulers[pipeline->n_schedulers];
		size_t n = strcspn(text, ":");
		char *after = NULL;

		if (pipeline->n_schedulers < MAX_SCHEDULERS && text[n] == ':' &&
		    machine_find_ports(pipeline, text, n, &scheduler->ports))
			scheduler->entries = (uint32_t)strtoul(text + n + 1, &after, 10);
		if (!after || !scheduler->entries || scheduler->entries > MAX_PARAMETER || (*after && *after != ' '))
			return error_set(err, ERROR_FORMAT, "model %s: parameter schedulers: '%.80s' is not valid",
					 model_name(pipeline->model), text);
		pipeline->n_schedulers++;
		text = after + strspn(after, " ");
	}
	return true;
}

static bool read_parameter(struct pipeline *pipeline, const struct parameter *parameter, struct error *err)
{
	void *place = (char *)&pipeline->parameters + parameter->offset;
	const char *text = model_parameter(pipeline->model, parameter->key);
	uint64_t number = parameter->fallback;
	bool ok;

	if (!text && parameter->required)
		return error_set(err, ERROR_FORMAT, "model %s: the pipeline needs the parameter '%s'",
				 model_name(pipeline->model), parameter->key);
	if (parameter->kind == PORTS) {
		ok = !text || parse_ports(pipeline, text, place);
	} else if (parameter->kind == NUMBER) {
		ok = !text || text_parse_uint(text, MAX_PARAMETER, &number);
		*(uint32_t *)place = (uint32_t)number;
	} else {
		ok = !text || parse_word(text, words_of[parameter->kind], place);
	}
	if (!ok)
		return error_set(err, ERROR_FORMAT, "model %s: parameter %s = '%.80s' is not valid",
				 model_name(pipeline->model), parameter->key, text);
	return true;
}

bool machine_read(struct pipeline *pipeline, struct error *err)
{
	const struct machine_parameters *read = &pipeline->parameters;

	for (size_t i = 0; i < ARRAY_LENGTH(parameters); i++)
		if (!read_parameter(pipeline, &parameters[i], err))
			return false;
	if (!read->issue_width || !read->op_cache_width)
		return error_set(err, ERROR_FORMAT, "model %s: issue_width and op_cache_width must be above 0",
				 model_name(pipeline->model));
	return read_schedulers(pipeline, err);
}
