/* The triggers of --start and --stop. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "regions/private.h"

/* Splits "module+0xOFFSET" or "0xADDR"; for the latter, *name_length is 0. */
static bool parse_address(const char *text, size_t *name_length, uint64_t *number)
{
	const char *plus = strrchr(text, '+');
	const char *digits = plus ? plus + 1 : text;
	char *end;

	*name_length = plus ? (size_t)(plus - text) : 0;
	if (plus && !*name_length)
		return false;
	if (strspn(digits, "0123456789abcdefABCDEFxX") != strlen(digits) || !*digits)
		return false;
	*number = strtoull(digits, &end, 16);
	return *end == '\0';
}

bool trigger_address_check(const char *text, struct error *err)
{
	size_t name_length;
	uint64_t number;

	if (parse_address(text, &name_length, &number))
		return true;
	return error_set(err, ERROR_USAGE,
			 "'%s' is no address; give 0xADDR (hexadecimal) or module+0xOFFSET, as in libz.so.1+0x2f40",
			 text);
}

/* Finds the run-time address of a --start or --stop address in this module. A plain number is an address as linked in
 * the program, if the program has code there; else it is a run-time address. */
static bool resolve(const struct scan *scan, const struct module *module, const char *text, uint64_t *va)
{
	const char *name = path_file_name(module->path);
	size_t name_length;
	uint64_t number;

	if (!parse_address(text, &name_length, &number))
		return false;
	if (name_length) {
		if (strlen(name) != name_length || strncmp(name, text, name_length) != 0)
			return false;
		*va = module->start_va + number;
	} else if (module == modules_program(&scan->triggers->modules) &&
		   scan_is_executable(scan, number + module->bias)) {
		*va = number + module->bias;
	} else {
		*va = number;
		if (number < module->start_va || number >= module->end_va)
			return false;
	}
	return scan_is_executable(scan, *va);
}

/* A breakpoint in the middle of an instruction would change what the program does. */
static bool check_instruction(const struct scan *scan, const struct module *module, const char *text, uint64_t va,
			      struct error *err)
{
	const struct trigger_request *request = scan->request;
	struct trigger_instruction insn;
	size_t name_length;
	uint64_t number;

	if (!request->find_instruction || !request->find_instruction(request->context, module, va, &insn) ||
	    insn.start_va == va)
		return true;
	parse_address(text, &name_length, &number);
	name_length += name_length > 0;
	return error_set(err, ERROR_USAGE,
			 "%s is in the middle of the instruction '%s', which begins at %.*s0x%" PRIx64
			 "; the next one begins at %.*s0x%" PRIx64,
			 text, insn.text, (int)name_length, text, number - (va - insn.start_va), (int)name_length, text,
			 number + (insn.end_va - va));
}

static bool plant_bound(const struct scan *scan, const struct module *module, const struct trigger_range *range,
			enum trigger_kind kind, struct error *err)
{
	struct trigger_range_state *state = &scan->triggers->ranges[range - scan->request->ranges];
	const char *text = kind == TRIGGER_START ? range->start : range->stop;
	bool *is_found = kind == TRIGGER_START ? &state->has_start : &state->has_stop;
	const struct trigger_request *request = scan->request;
	uint64_t va;

	if (*is_found || !resolve(scan, module, text, &va))
		return true;
	*is_found = true;
	return check_instruction(scan, module, text, va, err) &&
	       scan_add(scan, va, kind, request->region_id(request->context, range->name, false), err);
}

bool scan_plant_ranges(const struct scan *scan, const struct module *module, struct error *err)
{
	const struct trigger_request *request = scan->request;

	for (size_t i = 0; i < request->n_ranges; i++)
		if (!plant_bound(scan, module, &request->ranges[i], TRIGGER_START, err) ||
		    !plant_bound(scan, module, &request->ranges[i], TRIGGER_STOP, err))
			return false;
	return true;
}
