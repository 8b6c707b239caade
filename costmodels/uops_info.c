#include "costmodels/uops_info.h"

#include <errno.h>
#include <expat.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "costmodels/model/text_file.h"
#include "costmodels/uops_info_form.h"
#include "costmodels/uops_info_rows.h"

#define CHUNK_BYTES (1 << 16)
#define MAX_ARCHITECTURES 64
#define MAX_ARCHITECTURE_BYTES 16

struct importer {
	XML_Parser parser;
	const char *path, *architecture;
	struct error *err;
	size_t n_no_form;
	unsigned depth;
	bool failed, has_instructions, is_wanted;
	bool in_instruction, in_operand, in_measurement, is_measured;
	struct uops_instruction instruction;
	struct uops_measurement different, same;
	struct uops_latencies latencies;
	struct uops_rows rows;
	char *architectures[MAX_ARCHITECTURES]; /* that the file has */
	size_t n_architectures;
};

static void __attribute__((format(printf, 2, 3))) fail(struct importer *importer, const char *format, ...)
{
	struct text_file place = {.path = importer->path};
	char text[256];
	va_list args;

	if (importer->failed)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	place.line = (unsigned)XML_GetCurrentLineNumber(importer->parser);
	text_file_error(&place, importer->err, "%s", text);
	importer->failed = true;
	XML_StopParser(importer->parser, XML_FALSE);
}

static const char *attribute(const XML_Char **attributes, const char *name)
{
	for (; attributes[0]; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

static bool is_set(const XML_Char **attributes, const char *name)
{
	const char *value = attribute(attributes, name);

	return value && strcmp(value, "1") == 0;
}

static uint64_t number(const XML_Char **attributes, const char *name, uint64_t max)
{
	const char *value = attribute(attributes, name);
	uint64_t result = 0;

	return value && text_parse_uint(value, max, &result) ? result : 0;
}

/* Copies what fits; false if not all does. */
static bool copy(char *to, size_t size, const char *from)
{
	size_t n = from ? strlen(from) : 0;

	memcpy(to, from ? from : "", n < size ? n : size - 1);
	to[n < size ? n : size - 1] = '\0';
	return n < size;
}

/* Thousandths, rounded; -1 if there is no such attribute or it is no figure. */
static int64_t milli(const XML_Char **attributes, const char *name)
{
	const char *value = attribute(attributes, name);
	char *end;
	double figure;

	if (!value || *value < '0' || *value > '9')
		return -1;
	figure = strtod(value, &end);
	return *end || !(figure <= TEXT_FILE_MAX_CYCLES) ? -1 : (int64_t)(figure * 1000 + 0.5);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static void begin_instruction(struct importer *importer, const XML_Char **attributes)
{
	struct uops_instruction *instruction = &importer->instruction;

	*instruction = (struct uops_instruction){.is_zeroing = is_set(attributes, "zeroing"),
						 .is_rounding = is_set(attributes, "roundc"),
						 .is_sae = is_set(attributes, "sae")};
	instruction->is_unusable = !copy(instruction->iclass, sizeof(instruction->iclass),
					 attribute(attributes, "iclass"));
	copy(instruction->string, sizeof(instruction->string), attribute(attributes, "string"));
	importer->in_instruction = true;
	importer->in_operand = false;
	importer->has_instructions = true;
	importer->is_measured = false;
	importer->latencies.n_items = 0;
}

static enum uops_operand_type operand_type(const char *type)
{
	static const struct {
		const char *text;
		enum uops_operand_type type;
	} types[] = {{"reg", UOPS_REGISTER},  {"mem", UOPS_MEMORY},   {"agen", UOPS_ADDRESS},
		     {"imm", UOPS_IMMEDIATE}, {"relbr", UOPS_BRANCH}, {"flags", UOPS_FLAGS}};

	for (size_t i = 0; type && i < ARRAY_LENGTH(types); i++)
		if (strcmp(type, types[i].text) == 0)
			return types[i].type;
	return UOPS_OTHER;
}

static bool is_broadcast(const char *suffix)
{
	uint64_t n;
	char digits[4] = "";

	if (strncmp(suffix, "{1to", 4) != 0 || strlen(suffix) < 6 || strlen(suffix) > 7)
		return false;
	memcpy(digits, suffix + 4, strlen(suffix) - 5);
	return suffix[strlen(suffix) - 1] == '}' && text_parse_uint(digits, 64, &n);
}

static void begin_operand(struct importer *importer, const XML_Char **attributes)
{
	struct uops_instruction *instruction = &importer->instruction;
	const char *vsib = attribute(attributes, "VSIB");
	struct uops_operand *operand;

	if (instruction->n_operands == UOPS_MAX_OPERANDS) {
		instruction->is_unusable = true;
		return;
	}
	operand = &instruction->operands[instruction->n_operands++];
	operand->type = operand_type(attribute(attributes, "type"));
	operand->idx = (unsigned)number(attributes, "idx", 100);
	operand->width = (unsigned)number(attributes, "width", 65536);
	operand->is_suppressed = is_set(attributes, "suppressed");
	operand->is_implicit = is_set(attributes, "implicit");
	operand->is_mask = is_set(attributes, "opmask");
	operand->is_moffs = is_set(attributes, "moffs");
	operand->is_read = is_set(attributes, "r");
	operand->is_written = is_set(attributes, "w");
	operand->vsib = vsib && strchr("XYZ", *vsib) ? *vsib : 0;
	copy(operand->suffix, sizeof(operand->suffix), attribute(attributes, "memory-suffix"));
	if (*operand->suffix && !is_broadcast(operand->suffix))
		instruction->is_unusable = true;
	importer->in_operand = true;
}

/* The registers of an operand; the first of them tells its kind. */
static void XMLCALL on_text(void *user, const XML_Char *text, int n)
{
	struct importer *importer = user;
	struct uops_operand *operand;
	size_t at;

	if (!importer->in_operand)
		return;
	operand = &importer->instruction.operands[importer->instruction.n_operands - 1];
	at = strlen(operand->first);
	for (int i = 0; i < n && !strchr(operand->first, ',') && at + 1 < sizeof(operand->first); i++)
		if ((unsigned char)text[i] > ' ')
			operand->first[at++] = text[i];
}

static void read_measurement(struct uops_measurement *measurement, const XML_Char **attributes, bool is_same)
{
	const char *throughputs[] = {"TP", "TP_loop", "TP_unrolled"};
	const char *same_throughputs[] = {"TP_same_reg", "TP_loop_same_reg", "TP_unrolled_same_reg"};
	const char *ports = attribute(attributes, is_same ? "ports_same_reg" : "ports");

	*measurement = (struct uops_measurement){.throughput_milli = -1};
	for (size_t i = 0; i < ARRAY_LENGTH(throughputs); i++)
		measurement->throughput_milli =
			least(measurement->throughput_milli,
			      milli(attributes, is_same ? same_throughputs[i] : throughputs[i]));
	measurement->uops = milli(attributes, is_same ? "uops_same_reg" : "uops");
	measurement->fused = milli(attributes, is_same ? "uops_retire_slots_same_reg" : "uops_retire_slots");
	if (!copy(measurement->ports, sizeof(measurement->ports), ports))
		measurement->ports[0] = '\0';
}

static void begin_measurement(struct importer *importer, const XML_Char **attributes)
{
	importer->in_measurement = true;
	importer->is_measured = true;
	importer->latencies.n_items = 0;
	read_measurement(&importer->different, attributes, false);
	read_measurement(&importer->same, attributes, true);
}

static void add_latency(struct importer *importer, const XML_Char **attributes, const char *name, char kind,
			bool is_same)
{
	struct uops_latencies *latencies = &importer->latencies;
	struct uops_latency latency = {.kind = kind, .is_same = is_same, .milli = milli(attributes, name)};
	char max_name[64];

	snprintf(max_name, sizeof(max_name), "max_%s", name);
	if (latency.milli < 0)
		latency.milli = milli(attributes, max_name);
	latency.source = (unsigned)number(attributes, "start_op", 100);
	latency.target = (unsigned)number(attributes, "target_op", 100);
	if (latency.milli >= 0 && latency.source && latency.target && latencies->n_items < UOPS_MAX_LATENCIES)
		latencies->items[latencies->n_items++] = latency;
}

static void begin_latency(struct importer *importer, const XML_Char **attributes)
{
	add_latency(importer, attributes, "cycles", 0, false);
	add_latency(importer, attributes, "cycles_mem", 0, false);
	add_latency(importer, attributes, "cycles_addr", 'a', false);
	add_latency(importer, attributes, "cycles_addr_index", 'i', false);
	add_latency(importer, attributes, "cycles_same_reg", 0, true);
}

static void note_architecture(struct importer *importer, const char *name)
{
	for (size_t i = 0; i < importer->n_architectures; i++)
		if (strcmp(importer->architectures[i], name) == 0)
			return;
	if (importer->n_architectures < MAX_ARCHITECTURES && strlen(name) < MAX_ARCHITECTURE_BYTES)
		importer->architectures[importer->n_architectures++] = xstrdup(name);
}

static void begin_architecture(struct importer *importer, const XML_Char **attributes)
{
	const char *name = attribute(attributes, "name");

	if (!name) {
		fail(importer, "an <architecture> without a name");
		return;
	}
	importer->is_wanted = strcmp(name, importer->architecture) == 0;
	note_architecture(importer, name);
}

static void XMLCALL on_begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
	struct importer *importer = user;

	if (importer->depth++ == 0 && strcmp(name, "root") != 0)
		fail(importer, "this is not uops.info's instructions.xml: its first element is <%.40s>, not <root>",
		     name);
	else if (strcmp(name, "instruction") == 0)
		begin_instruction(importer, attributes);
	else if (!importer->in_instruction)
		return;
	else if (strcmp(name, "operand") == 0)
		begin_operand(importer, attributes);
	else if (strcmp(name, "architecture") == 0)
		begin_architecture(importer, attributes);
	else if (strcmp(name, "measurement") == 0 && importer->is_wanted)
		begin_measurement(importer, attributes);
	else if (strcmp(name, "latency") == 0 && importer->in_measurement)
		begin_latency(importer, attributes);
}

static void end_instruction(struct importer *importer)
{
	const struct uops_instruction *instruction = &importer->instruction;
	char form[FORM_TEXT_BYTES];
	bool is_special, fits;

	importer->in_instruction = false;
	if (!importer->is_measured)
		return;
	if (!uops_form(&importer->instruction, form, &is_special) || strlen(form) + strlen(" (same)") >= sizeof(form)) {
		importer->n_no_form++;
		return;
	}
	fits = uops_rows_add(&importer->rows, form, is_special, false, instruction, &importer->different,
			     &importer->latencies);
	if (fits && importer->same.throughput_milli >= 0)
		fits = uops_rows_add(&importer->rows, form, is_special, true, instruction, &importer->same,
				     &importer->latencies);
	if (!fits)
		fail(importer, "more than %d forms: no CPU has as many", UOPS_MAX_ROWS);
}

static void end_operand(struct importer *importer)
{
	struct uops_instruction *instruction = &importer->instruction;
	char *first;

	if (!importer->in_operand)
		return;
	first = instruction->operands[instruction->n_operands - 1].first;
	first[strcspn(first, ",")] = '\0';
	importer->in_operand = false;
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
	struct importer *importer = user;

	importer->depth--;
	if (strcmp(name, "operand") == 0)
		end_operand(importer);
	else if (strcmp(name, "measurement") == 0)
		importer->in_measurement = false;
	else if (strcmp(name, "architecture") == 0)
		importer->is_wanted = false;
	else if (strcmp(name, "instruction") == 0 && importer->in_instruction)
		end_instruction(importer);
}

static bool is_cut_short(enum XML_Error error)
{
	return error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN || error == XML_ERROR_PARTIAL_CHAR ||
	       error == XML_ERROR_UNCLOSED_CDATA_SECTION;
}

static bool parse(struct importer *importer, FILE *file)
{
	size_t n;

	do {
		void *buffer = XML_GetBuffer(importer->parser, CHUNK_BYTES);
		enum XML_Status status;

		if (!buffer)
			return error_set(importer->err, ERROR_ENVIRONMENT, "cannot read %s: out of memory",
					 importer->path);
		n = fread(buffer, 1, CHUNK_BYTES, file);
		if (ferror(file))
			return error_set_errno(importer->err, ERROR_ENVIRONMENT, "cannot read %s", importer->path);
		status = XML_ParseBuffer(importer->parser, (int)n, n == 0);
		if (status == XML_STATUS_ERROR && !importer->failed)
			fail(importer, "%s%s", XML_ErrorString(XML_GetErrorCode(importer->parser)),
			     is_cut_short(XML_GetErrorCode(importer->parser)) ? ": the file is not complete"
									      : ": this is no XML, or a damaged one");
		if (importer->failed)
			return false;
	} while (n > 0);
	return true;
}

static bool check_found(struct importer *importer)
{
	char *names = xstrdup("");

	if (importer->rows.n_rows > 0) {
		free(names);
		return true;
	}
	for (size_t i = 0; i < importer->n_architectures; i++) {
		char *more = xasprintf("%s%s%s", names, *names ? ", " : "", importer->architectures[i]);

		free(names);
		names = more;
	}
	if (!importer->has_instructions)
		fail(importer, "no <instruction>: this is not uops.info's instructions.xml");
	else
		error_set(importer->err, ERROR_USAGE, "%s has no measurements of '%.40s'; it has: %s", importer->path,
			  importer->architecture, *names ? names : "none of any");
	free(names);
	return false;
}

static bool is_architecture(const char *text)
{
	size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-_");

	return n > 0 && n < MAX_ARCHITECTURE_BYTES && !text[n];
}

static bool import(struct importer *importer, FILE *file, const char *name, FILE *out)
{
	importer->parser = XML_ParserCreate(NULL);
	if (!importer->parser)
		return error_set(importer->err, ERROR_ENVIRONMENT, "cannot read %s: out of memory", importer->path);
	XML_SetUserData(importer->parser, importer);
	XML_SetElementHandler(importer->parser, on_begin, on_end);
	XML_SetCharacterDataHandler(importer->parser, on_text);
	if (!parse(importer, file) || !check_found(importer))
		return false;
	uops_rows_write(&importer->rows, importer->architecture, name, out);
	if (fflush(out) != 0 || ferror(out))
		return error_set_errno(importer->err, ERROR_ENVIRONMENT, "cannot write the model");
	return true;
}

bool uops_info_import(const char *path, const char *architecture, const char *name, FILE *out,
		      struct uops_info_counts *counts, struct error *err)
{
	struct importer *importer;
	FILE *file;
	bool ok;

	if (!is_architecture(architecture))
		return error_set(err, ERROR_USAGE, "'%.40s' is no architecture of uops.info, such as SKL or ZEN4",
				 architecture);
	file = fopen(path, "re");
	if (!file)
		return error_set_errno(err, ERROR_ENVIRONMENT, "cannot read %s", path);
	importer = xcalloc(1, sizeof(*importer));
	importer->path = path;
	importer->architecture = architecture;
	importer->err = err;
	ok = import(importer, file, name, out);
	*counts = (struct uops_info_counts){importer->rows.n_rows, importer->rows.n_twice, importer->n_no_form};
	fclose(file);
	if (importer->parser)
		XML_ParserFree(importer->parser);
	for (size_t i = 0; i < importer->n_architectures; i++)
		free(importer->architectures[i]);
	uops_rows_deinit(&importer->rows);
	free(importer);
	return ok;
}
