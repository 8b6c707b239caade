#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "cli/options/option.h"

#define BIT(command) COMMAND_BIT(COMMAND_##command)

enum {
	RUN = BIT(RUN),
	RECORD = BIT(RECORD),
	REPORT = BIT(REPORT),
	COMPARE = BIT(COMPARE),
	MODELS = BIT(MODELS),
	BLOCK = BIT(BLOCK),
	SAMPLE = BIT(SAMPLE),
	MEASURE = BIT(MEASURE),
	ANNOTATE_RUN = BIT(ANNOTATE),
	ANNOTATE = BIT(ANNOTATE) | COMMAND_BIT_SAVED,
	TRACING = RUN | RECORD | ANNOTATE_RUN,
	ALL = (1 << N_COMMANDS) - 1,
};

#define FLAG(member) OPTION_FLAG, .flag = offsetof(struct options, member)
#define VALUE(type, member) OPTION_##type, .value = offsetof(struct options, member)
#define CHOICE(member, names) VALUE(CHOICE, member), .choices = (names), .n_choices = ARRAY_LENGTH(names)
#define OPTIONAL(flag_member, type, value_member) \
	VALUE(type, value_member), .flag = offsetof(struct options, flag_member), .is_optional = true

/* Rules that several rows share. */
#define NOT_REPEATED "!repeat", "does nothing with --repeat, which prints only what differs between runs"
#define TABLES_ONLY "format=text|format=json|format=csv", "does nothing with this --format; use text, json or csv"
#define TEXT_TOP "format=text|top=0", "shortens the tables of --format text; other formats have all rows"
#define ONE_VIEW "cannot be combined: --tree, --charge-back and --memory are different reports"

static const char *const format_names[] = {[REPORT_TEXT] = "text",
					   [REPORT_JSON] = "json",
					   [REPORT_CSV] = "csv",
					   [REPORT_HTML] = "html",
					   [REPORT_CALLGRIND] = "callgrind",
					   [REPORT_FOLDED] = "folded",
					   [REPORT_SPEEDSCOPE] = "speedscope"};
static const char *const report_formats[] = {"text", "json", "csv", "html"};
static const char *const table_formats[] = {"text", "json", "csv"};
static const char *const text_and_json[] = {"text", "json"};
static const char *const group_names[] = {[GROUP_BY_FORM] = "form",	    [GROUP_BY_MNEMONIC] = "mnemonic",
					  [GROUP_BY_CATEGORY] = "category", [GROUP_BY_ISA_EXTENSION] = "isa-extension",
					  [GROUP_BY_FUNCTION] = "function", [GROUP_BY_FILE] = "file",
					  [GROUP_BY_LINE] = "line",	    [GROUP_BY_COLUMN] = "column",
					  [GROUP_BY_INLINED] = "inlined"};
static const char *const sample_group_names[] = {
	[SAMPLING_BY_OBJECT] = "object", [SAMPLING_BY_FUNCTION] = "function", [SAMPLING_BY_LINE] = "line"};
static const char *const engine_names[] = {
	[ENGINE_AUTO] = "auto", [ENGINE_STEP] = "step", [ENGINE_TRANSLATE] = "translate"};
static const char *const method_names[] = {[SAMPLER_AUTO] = "auto", [SAMPLER_PERF] = "perf", [SAMPLER_STOPS] = "stops"};
static const char *const mode_names[] = {
	[BLOCK_MODE_AUTO] = "auto", [BLOCK_MODE_UNROLLED] = "unrolled", [BLOCK_MODE_LOOP] = "loop"};
static const char *const pointer_names[] = {
	[BLOCK_POINTERS_AUTO] = "auto", [BLOCK_POINTERS_DISTINCT] = "distinct", [BLOCK_POINTERS_SAME] = "same"};
static const char *const share_names[] = {"bytes"};

const struct option_row option_rows[] = {
	{.commands = TRACING,
	 .help = "Regions are marked in the source with PA_BEGIN(\"name\") and PA_END(\"name\") of "
		 "<itrace/markers.h>, or chosen here:"},
	{"function", 0, VALUE(LIST, functions), .commands = TRACING, .placeholder = "NAME",
	 .help = "each call of a function, until it returns (repeatable); * and ? are wildcards"},
	{"start", 0, VALUE(ADDRESS, starts), .commands = TRACING, .placeholder = "ADDR",
	 .help = "begin at this instruction: 0xADDR or module+0xOFFSET (repeatable)",
	 .allowed_if = {{"stop", "needs --stop ADDR, where the region ends"}}},
	{"stop", 0, VALUE(ADDRESS, stops), .commands = TRACING, .placeholder = "ADDR",
	 .help = "end before this instruction (once for each --start)",
	 .allowed_if = {{"start", "needs --start ADDR, where the region begins"}}},
	{"all", 0, FLAG(whole_program), .commands = TRACING,
	 .help = "the whole program, from its entry point to its end"},
	{"region", 0, VALUE(LIST, regions), .commands = RUN | RECORD | ANNOTATE, .placeholder = "NAME",
	 .help = "trace and report only this region (repeatable)"},
	{"scopes", 0, FLAG(scopes), .commands = TRACING, .help = "also each PA_SCOPE of <itrace/scopes.h>"},

	{.commands = RUN | REPORT | COMPARE | ANNOTATE | SAMPLE, .help = "What to report:"},
	{"model", 'm', VALUE(TEXT, models), .commands = RUN | REPORT, .placeholder = "A,B,C",
	 .help = "cost models; the first one ranks the rows; all: every installed one",
	 .default_value = "host,skylake,vax8800", .useful_if = {{NOT_REPEATED}}},
	{"model", 'm', VALUE(TEXT, models), .commands = COMPARE, .placeholder = "A,B,C",
	 .help = "cost models; the first one is 1.00x; all: every installed one",
	 .default_value = "host,skylake,vax8800"},
	{"model", 'm', VALUE(TEXT, models), .commands = ANNOTATE, .placeholder = "A,B,C",
	 .help = "cost models; the first one ranks the lines", .default_value = "host"},
	{"model", 'm', VALUE(TEXT, models), .commands = SAMPLE, .placeholder = "NAME", .help = "cost model of --check",
	 .default_value = "host", .useful_if = {{"check", "is the cost model of --check; use both"}}},
	{"region", 0, VALUE(LIST, regions), .commands = REPORT | COMPARE, .placeholder = "NAME",
	 .help = "report only this region (repeatable)"},
	{"by", 0, CHOICE(report.by, group_names), .commands = RUN | REPORT, .placeholder = "WHAT",
	 .flag = offsetof(struct options, report.is_by_given),
	 .help = "what a row stands for:", .default_value = "form",
	 .useful_if = {{NOT_REPEATED},
		       {TABLES_ONLY},
		       {"!tree|format=json !charge-back|format=json !memory|format=json",
			"is for the table, which --tree, --charge-back and --memory replace"}}},
	{"by", 0, CHOICE(report.by, group_names), .commands = COMPARE, .placeholder = "WHAT",
	 .flag = offsetof(struct options, report.is_by_given),
	 .help = "what a row stands for [form, then function]:", .useful_if = {{TABLES_ONLY}}},
	{"by", 0, CHOICE(sample_by, sample_group_names), .commands = SAMPLE, .placeholder = "WHAT",
	 .help = "what a row stands for:", .default_value = "function"},
	{"map", 0, VALUE(LIST, maps), .commands = TRACING, .placeholder = "FILE",
	 .help = "names of functions from a linker map, the output of nm, or a perf-PID.map (repeatable)"},
	{"map", 0, VALUE(LIST, maps), .commands = SAMPLE, .placeholder = "FILE",
	 .help = "names from a linker map, the output of nm, or a perf-PID.map (repeatable)",
	 .allowed_if = {{"by=function", "names functions; use it with --by function"}}},
	{"top", 0, VALUE(NUMBER, report.top), .commands = RUN | REPORT | SAMPLE, .placeholder = "N",
	 .help = "rows of each table; 0: all", .default_value = "20", .useful_if = {{TEXT_TOP}}},
	{"top", 0, VALUE(NUMBER, report.top), .commands = COMPARE, .placeholder = "N",
	 .help = "rows of each table; 0: all", .default_value = "10", .useful_if = {{TEXT_TOP}}},
	{"top", 0, VALUE(NUMBER, report.top), .commands = ANNOTATE, .placeholder = "N",
	 .help = "the N most expensive lines; 0: all", .default_value = "20", .useful_if = {{TEXT_TOP}}},
	{"context", 0, VALUE(NUMBER, report.context), .commands = ANNOTATE, .placeholder = "N",
	 .help = "lines around each of them", .default_value = "2", .most = 1000000,
	 .useful_if = {{"format=text", "is for --format text; json has all lines that were executed"}}},
	{"own", 0, FLAG(report.only_own), .commands = ANNOTATE, .help = "only lines in the program's own source files"},
	{"file", 0, VALUE(LIST, file_globs), .commands = ANNOTATE, .placeholder = "GLOB",
	 .help = "only lines in files whose name or path fits, as 'parse*.c' (repeatable)"},
	{"instructions", 0, FLAG(report.insns), .commands = ANNOTATE, .help = "show the instructions below each line"},
	{"tree", 0, FLAG(tree), .commands = RUN | REPORT, .help = "call trees in place of the tables",
	 .useful_if = {{NOT_REPEATED}}, .allowed_if = {{"!charge-back !memory", ONE_VIEW}}},
	{"charge-back", 0, FLAG(charge_back), .commands = RUN | REPORT,
	 .help = "what each line of the program cost, with the library code that it caused",
	 .useful_if = {{NOT_REPEATED}, {TABLES_ONLY}}, .allowed_if = {{"!tree !memory", ONE_VIEW}}},
	{"memory", 0, FLAG(memory), .commands = RUN | REPORT,
	 .help = "the memory that each line of the program asked for", .useful_if = {{NOT_REPEATED}, {TABLES_ONLY}},
	 .allowed_if = {{"!tree !charge-back", ONE_VIEW}}},
	{"share-allocator", 0, OPTION_CHOICE, .choices = share_names, .n_choices = 1, .commands = RUN | REPORT,
	 .flag = offsetof(struct options, report.share_by_bytes), .placeholder = "WAY",
	 .help = "divide the allocators' cost among the lines by:",
	 .useful_if = {{NOT_REPEATED}, {"memory", "divides what --memory shows; use both"}}},
	{"user", 0, VALUE(LIST, user_modules), .commands = RUN | REPORT, .placeholder = "MODULE",
	 .help = "this library counts as the program's own code (repeatable)",
	 .useful_if = {{NOT_REPEATED},
		       {"charge-back|memory",
			"does nothing without --charge-back or --memory, whose lines it chooses"}}},
	{"per-thread", 0, FLAG(per_thread), .commands = RUN | REPORT | COMPARE,
	 .help = "show each thread of a region, too", .useful_if = {{NOT_REPEATED}}},
	{"per-thread", 0, FLAG(per_thread), .commands = ANNOTATE, .help = "show each thread, too"},
	{"per-thread", 0, FLAG(per_thread), .commands = SAMPLE, .help = "show each thread, too",
	 .useful_if = {{"format=text|format=json", "is for --format text and json; csv is a single table"}}},
	{"compare", 0, FLAG(report.compare), .commands = RUN | REPORT,
	 .help = "compare the models, as 'itrace compare' does", .useful_if = {{NOT_REPEATED}},
	 .allowed_if = {{"!tree !charge-back !memory format=text|format=json|format=csv|format=html",
			 "compares tables; it does not work with call trees, --charge-back and --memory"}}},
	{"compare", 0, FLAG(report.compare), .commands = COMPARE},
	{"trials", 0, FLAG(trials), .commands = SAMPLE,
	 .help = "sample the same run at pi/2, e and pi times the period, too, and compare",
	 .allowed_if = {{"!check|format=text|format=json",
			 "cannot be combined with --check in csv, which is a single table"}}},
	{"check", 0, FLAG(check), .commands = SAMPLE, .help = "trace the program exactly in a second run, and compare",
	 .allowed_if = {{"!pid", "runs the program a second time; it does not work with --pid"},
			{"by=function !map",
			 "compares functions by their symbols; use it with --by function and without --map"}}},
	{"function", 0, VALUE(LIST, functions), .commands = SAMPLE, .placeholder = "NAME",
	 .help = "trace this function for --check, not the whole program",
	 .allowed_if = {{"check", "chooses what --check traces; sampling is always of the whole program"},
			{"!region", "and --region exclude each other: --check traces one function or one region"}}},
	{"region", 0, VALUE(LIST, regions), .commands = SAMPLE, .placeholder = "NAME",
	 .help = "trace this region for --check, not the whole program",
	 .allowed_if = {{"check", "chooses what --check traces; sampling is always of the whole program"}}},
	{"format", 0, CHOICE(report.format, format_names), .commands = RUN | REPORT, .placeholder = "FORMAT",
	 .help = "callgrind, folded and speedscope are call trees:", .default_value = "text",
	 .useful_if = {{NOT_REPEATED}}},
	{"format", 0, CHOICE(report.format, report_formats), .commands = COMPARE, .placeholder = "FORMAT",
	 .default_value = "text"},
	{"format", 0, CHOICE(report.format, text_and_json), .commands = ANNOTATE, .placeholder = "FORMAT",
	 .default_value = "text"},
	{"format", 0, CHOICE(report.format, table_formats), .commands = SAMPLE, .placeholder = "FORMAT",
	 .default_value = "text"},
	{"source-path", 0, VALUE(LIST, source_folders), .commands = RUN | REPORT | COMPARE, .placeholder = "DIR",
	 .help = "for html: look for source files below DIR, too (repeatable)",
	 .useful_if = {{NOT_REPEATED},
		       {"format=html", "is for reports that show sources: --format html and 'itrace annotate'"}}},
	{"source-path", 0, VALUE(LIST, source_folders), .commands = ANNOTATE, .placeholder = "DIR",
	 .help = "look for source files below DIR, too (repeatable)"},
	{"output", 'o', VALUE(TEXT, output_path), .commands = RUN | REPORT | COMPARE | ANNOTATE, .placeholder = "FILE",
	 .help = "write the report to FILE; %p in it becomes the process ID"},
	{"output", 'o', VALUE(TEXT, output_path), .commands = SAMPLE, .placeholder = "FILE",
	 .help = "write the report to FILE instead of stderr"},

	{.commands = RECORD, .help = "What to record:"},
	{"output", 'o', VALUE(TEXT, output_path), .commands = RECORD, .placeholder = "FILE",
	 .help = "where to save the run [PROGRAM.itrace in this folder]; %p in it becomes the process ID"},
	{"memory", 0, FLAG(memory), .commands = RECORD, .help = "watch allocations"},
	{"per-thread", 0, FLAG(per_thread), .commands = RECORD, .help = "keep what each thread did, too"},

	{.commands = TRACING, .help = "How to run:"},
	{.commands = SAMPLE, .help = "How to sample:"},
	{"period", 0, VALUE(TIME, period_ns), .commands = SAMPLE, .placeholder = "TIME", .least = SAMPLER_PERIOD_MIN_NS,
	 .help = "CPU time between samples of a thread, as 250us or 2ms",
	 /* Some thousand samples a second, out of step with the kernel's ticks at 100, 250, 300 or 1000 Hz. */
	 .default_value = "997us"},
	{"time", 0, VALUE(TIME, duration_ns), .commands = SAMPLE, .placeholder = "TIME",
	 .help = "stop sampling after this time on the clock; the program runs on to its end"},
	{"method", 0, CHOICE(method, method_names), .commands = SAMPLE, .placeholder = "METHOD",
	 .help = "by the kernel's clock (perf) or by ptrace (stops):", .default_value = "auto"},
	{"engine", 0, CHOICE(engine, engine_names), .commands = TRACING, .placeholder = "ENGINE",
	 .help = "how to count; auto steps at first, then translates:", .default_value = "auto"},
	{"calls", 0, FLAG(calls), .commands = RUN | RECORD, .help = "make call trees", .useful_if = {{NOT_REPEATED}}},
	{"no-calls", 0, FLAG(no_calls), .commands = TRACING,
	 .help = "turn off the call trees that 'itrace record' makes",
	 .allowed_if = {{"!calls !tree !charge-back !memory !format=callgrind !format=folded !format=speedscope",
			 "contradicts an option that needs call trees; leave out one of them"}}},
	{"pipeline", 0, FLAG(pipeline), .commands = TRACING,
	 .help = "record paths, and report what the pipeline takes for them", .useful_if = {{NOT_REPEATED}}},
	{"caches", 0, OPTIONAL(caches, TEXT, cache_models), .commands = TRACING, .placeholder = "MODELS",
	 .help = "as --pipeline, with the caches of these models simulated", .useful_if = {{NOT_REPEATED}}},
	{"pid", 'p', VALUE(NUMBER, pid), .commands = TRACING | SAMPLE, .placeholder = "PID", .least = 1,
	 .most = INT32_MAX, .help = "watch a running program, until its end, a limit or ^C",
	 .allowed_if = {{"method=auto|method=perf", "works with --method perf only"}}},
	{"follow", 'f', FLAG(follow), .commands = TRACING,
	 .help = "trace the processes that the program starts, too, and report on each",
	 .allowed_if =
		 {{"format=text|format=json|format=csv|output=%p",
		   "with this --format writes a file for each process: use -o with %p, the process ID, in the name"}}},
	{"max-instructions", 0, VALUE(NUMBER, max_instructions), .commands = TRACING, .placeholder = "N", .least = 1,
	 .help = "let the program run on untraced after N instructions"},
	{"max-visits", 0, VALUE(NUMBER, max_visits), .commands = TRACING, .placeholder = "N", .least = 1,
	 .help = "let the program run on untraced after N visits to regions"},
	{"timeout", 0, VALUE(TIME, timeout_ns), .commands = TRACING, .placeholder = "SECONDS",
	 .help = "let the program run on untraced after this time"},
	{"every", 0, VALUE(NUMBER, every), .commands = TRACING, .placeholder = "N", .least = 1,
	 .help = "count every Nth visit of each region",
	 .allowed_if =
		 {{"every=1|!scopes",
		   "does not work with --scopes: all scopes share one end marker, which does not tell visits apart"}}},
	{"no-aslr", 0, FLAG(disable_aslr), .commands = TRACING | SAMPLE, .help = "the same addresses in every run",
	 .allowed_if = {{"!pid", "is for programs that itrace starts; it does not work with --pid"}}},
	{"isa", 0, CHOICE(isa, isa_level_names), .commands = TRACING | SAMPLE, .placeholder = "LEVEL",
	 .flag = offsetof(struct options, limits_isa), .help = "limit the C library to its functions for:",
	 .allowed_if = {{"!pid", "is for programs that itrace starts; it does not work with --pid"}}},
	{"trace", 0, OPTIONAL(trace, TEXT, trace_path), .commands = TRACING, .placeholder = "FILE",
	 .help = "write each instruction as it is executed [stderr]", .useful_if = {{NOT_REPEATED}}},
	{"trace-limit", 0, VALUE(NUMBER, trace_limit), .commands = TRACING, .placeholder = "N", .least = 1,
	 .help = "end the trace after N instructions, and count on",
	 .useful_if = {{"trace", "limits --trace; use both"}}},
	{"repeat", 0, VALUE(NUMBER, repeat), .commands = RUN, .placeholder = "N", .least = 2, .most = 10000,
	 .help = "run the program N times, and report only what differs in the counts",
	 .allowed_if =
		 {{"!pid !follow !output",
		   "prints to stderr what differs between runs of one program: it does not work with -p, -f and -o"}}},

	{.commands = BLOCK, .help = "Which blocks (one of these, or '-' for lines of standard input):"},
	{"hex", 0, VALUE(TEXT, hex), .commands = BLOCK, .placeholder = "HEX", .help = "one block, in hexadecimal"},
	{"csv", 0, VALUE(TEXT, csv), .commands = BLOCK, .placeholder = "FILE",
	 .help = "the first column of each line, in hexadecimal; a header is skipped"},
	{"object", 0, VALUE(TEXT, object), .commands = BLOCK, .placeholder = "FILE",
	 .help = "the blocks of a function of this program, library or object file",
	 .allowed_if = {{"function", "needs --function NAME, whose blocks are estimated"}}},
	{"function", 0, VALUE(LIST, functions), .commands = BLOCK, .placeholder = "NAME",
	 .help = "the function in --object", .allowed_if = {{"object", "needs --object FILE, which has the function"}}},
	{.commands = BLOCK, .help = "How to estimate and report:"},
	{"model", 'm', VALUE(TEXT, models), .commands = BLOCK, .placeholder = "A,B", .help = "cost models",
	 .default_value = "skylake"},
	{"mode", 0, CHOICE(mode, mode_names), .commands = BLOCK, .placeholder = "MODE",
	 .help = "copies of the block in a row, or a loop; auto: a loop if the block ends with a jump to its begin:",
	 .default_value = "auto"},
	{"pointers", 0, CHOICE(pointers, pointer_names), .commands = BLOCK, .placeholder = "WHERE",
	 .help = "distinct: registers point to different places; same: all registers and all memory hold one address, "
		 "as in measured blocks; auto: same if unrolled:",
	 .default_value = "auto"},
	{"clock", 0, FLAG(clock), .commands = BLOCK,
	 .help = "time each block on this machine, too, beside the estimate"},
	{"timeline", 0, OPTIONAL(timeline, NUMBER, timeline_iterations), .commands = BLOCK, .placeholder = "N",
	 .least = 1, .most = 1000,
	 .help = "when each instruction of N iterations was issued, executed and retired [about 24 instructions]",
	 .useful_if = {{"format=text|format=json",
			"is for --format text and json; --csv and - write csv unless --format says otherwise"}}},
	{"format", 0, CHOICE(report.format, table_formats), .commands = BLOCK, .placeholder = "FORMAT",
	 .help = "csv for --csv and -, else text:"},

	{.commands = MEASURE, .help = "What to measure, and where to write the model:"},
	{"forms", 0, VALUE(TEXT, forms), .commands = MEASURE, .placeholder = "PATTERN",
	 .help = "only forms that match, as 'IMUL *' or 'V*PS zmm*'; * and ? are wildcards"},
	{"quick", 0, FLAG(quick), .commands = MEASURE, .help = "only the 300 commonest forms: less than a minute"},
	{"output", 'o', VALUE(TEXT, output_path), .commands = MEASURE, .placeholder = "FILE",
	 .help = "the model, NAME.cost [host.cost]",
	 .allowed_if = {{"!install", "cannot be combined with --install, which writes a file of its own"}}},
	{"install", 0, FLAG(install), .commands = MEASURE,
	 .help = "write host.cost to your folder of models, where --model host finds it first"},
	{"compare", 0, VALUE(TEXT, compare), .commands = MEASURE, .placeholder = "A,B",
	 .help = "print the instructions in microseconds and cycles beside those of models, such as vax8800,vax780; "
		 "write a model only with -o or --install"},

	{.commands = ALL, .help = ""},
	{"format", 0, CHOICE(report.format, text_and_json), .commands = MODELS, .placeholder = "FORMAT",
	 .help = "of the list of models:", .default_value = "text"},
	{"help", 'h', FLAG(wants_help), .commands = ALL, .help = "print this text"},
	{"version", 0, FLAG(wants_version), .commands = ALL, .help = "print the version"},
};
const size_t n_option_rows = ARRAY_LENGTH(option_rows);

_Static_assert(ARRAY_LENGTH(option_rows) <= MAX_OPTION_ROWS, "raise MAX_OPTION_ROWS");

bool option_row_is_of(const struct option_row *row, enum command command)
{
	return row->name && row->commands & COMMAND_BIT(command);
}

const struct option_row *option_row_find(enum command command, const char *name)
{
	for (size_t i = 0; i < n_option_rows; i++)
		if (option_row_is_of(&option_rows[i], command) && strcmp(option_rows[i].name, name) == 0)
			return &option_rows[i];
	return NULL;
}

void option_row_variable(const struct option_row *row, char variable[MAX_OPTION_NAME + 1])
{
	size_t n = strlen(strcpy(variable, "ITRACE_"));

	for (const char *c = row->name; *c && n < MAX_OPTION_NAME; c++)
		variable[n++] = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
	variable[n] = '\0';
}
