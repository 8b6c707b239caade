#include "cli/options/help.h"

#include "base/array.h"

static const char run_head[] =
	"Usage: itrace [options] [--] program [arguments]\n"
	"       itrace record [-o FILE] [options] [--] program [arguments]\n"
	"       itrace report|compare [options] FILE\n"
	"       itrace annotate [options] FILE or program [arguments]\n"
	"       itrace models [show NAME FORM | form HEX]\n"
	"       itrace block [--hex HEX | --csv FILE | --object FILE --function NAME | -]\n"
	"       itrace sample [options] [--] program [arguments]\n"
	"\n"
	"Counts the instructions that regions of a program execute and says what they would cost.\n"
	"'itrace record --help' and so on tell more.\n"
	"\n";

static const char record_head[] =
	"Usage: itrace record [-o FILE] [options] [--] program [arguments]\n"
	"\n"
	"Runs a program and saves what its regions executed, for 'itrace report' and 'itrace compare'.\n"
	"\n"
	"  -o, --output FILE     where to [the program's name, with .itrace, in this folder]\n"
	"      --memory          watch allocations\n"
	"      --per-thread      keep what each thread did, too\n"
	"\n";

static const char report_head[] = "Usage: itrace report [options] FILE\n"
				  "\n"
				  "Reports on a run that 'itrace record' saved in FILE.\n"
				  "\n";

static const char compare_head[] =
	"Usage: itrace compare [options] FILE\n"
	"\n"
	"Compares what a run that 'itrace record' saved in FILE costs on several CPUs, and says which\n"
	"instructions and functions change place between them.\n"
	"\n";

static const char annotate_head[] =
	"Usage: itrace annotate [options] FILE\n"
	"       itrace annotate [options] [--] program [arguments]\n"
	"\n"
	"Shows the source of a run, which 'itrace record' saved in FILE or which is made now: what each\n"
	"line executed and cost, the most expensive ones first.\n"
	"\n";

static const char regions[] = "Regions are marked in the source with PA_BEGIN(\"name\") and PA_END(\"name\") of\n"
			      "<itrace/markers.h>, or named here:\n"
			      "      --function NAME   each call of a function, until it has returned (repeatable)\n"
			      "      --start ADDR      from the instruction at ADDR (0xADDR or module+0xOFFSET) ...\n"
			      "      --stop ADDR       ... up to the one at ADDR\n"
			      "      --all             from the program's entry point to its end\n"
			      "      --region NAME     heed and report only this region (repeatable)\n"
			      "      --scopes          each PA_SCOPE of <itrace/scopes.h> is a region, too\n"
			      "\n";

static const char models_of_report[] =
	"What to report:\n"
	"  -m, --model A,B,C     cost models, the first one ranks; all: those installed\n"
	"                        [" DEFAULT_MODELS "; comparing: " DEFAULT_COMPARED "]\n";
static const char models_of_annotate[] = "What to show:\n"
					 "  -m, --model A,B,C     cost models, the first one ranks [" DEFAULT_ANNOTATED
					 "]\n";
static const char models_of_compare[] =
	"What to report:\n"
	"  -m, --model A,B,C     cost models, the first one is 1.00x; all: those installed\n"
	"                        [" DEFAULT_COMPARED "]\n";

static const char report_region[] = "      --region NAME     report only this region (repeatable)\n";

static const char per_thread[] = "      --per-thread      each thread's part of each region, too\n";

static const char report_options[] =
	"      --by WHAT         form, mnemonic, category, isa-extension, function, file, line,\n"
	"                        column or inlined [form]\n"
	"      --top N           rows of each table, 0 for all [20; comparing: 10]\n";
static const char compare_options[] =
	"      --by WHAT         form, mnemonic, category, isa-extension, function, file, line,\n"
	"                        column or inlined [form, then function]\n"
	"      --top N           rows of each table, 0 for all [10]\n";

static const char annotate_options[] = "      --top N           the N most expensive lines, 0 for all [20]\n"
				       "      --context N       and so many lines around each [2]\n"
				       "      --instructions    and the instructions below each\n"
				       "      --per-thread      for each thread, too\n"
				       "      --source-path DIR look for source files below DIR too (repeatable)\n"
				       "      --format FORMAT   text or json [text]\n"
				       "  -o, --output FILE     write it to FILE\n";

static const char tree_option[] = "      --tree            call trees in place of the tables\n"
				  "      --charge-back     lines of the program, with what libraries cost for them\n"
				  "      --memory          lines of the program, with the memory that they asked for\n"
				  "      --share-allocator=bytes   what allocators take is shared out by bytes\n"
				  "      --user MODULE     this library is the program's own (repeatable)\n";
static const char compare_option[] = "      --compare         compare the models, as 'itrace compare' does\n";

static const char output_options[] =
	"      --format FORMAT   text, json, csv, html; call trees: callgrind, folded or speedscope [text]\n"
	"      --source-path DIR for html: look for source files below DIR too (repeatable)\n"
	"  -o, --output FILE     write the report to FILE; %p in it is the ID of the process\n";

static const char compare_output_options[] = "      --format FORMAT   text, json, csv or html [text]\n"
					     "  -o, --output FILE     write the report to FILE\n";

static const char running[] = "How to run:\n"
			      "      --engine ENGINE   step, translate, or auto: step at first, then translate [auto]\n"
			      "      --calls           make call trees; --no-calls: none, though 'itrace record' does\n"
			      "      --pipeline        record paths: what the pipeline takes for them\n"
			      "      --caches[=MODELS] the same, with the caches of these models simulated\n"
			      "  -p, --pid PID         trace a running program, until it ends, a limit, or ^C\n"
			      "  -f, --follow          trace the processes that it starts, too, and report on each\n"
			      "      --max-instructions N, --max-visits N, --timeout SECONDS\n"
			      "                        then let the program run on untraced\n"
			      "      --every N         count one visit in N of each region\n"
			      "      --no-aslr         the same addresses in every run\n"
			      "      --trace[=FILE]    write each instruction as it is executed (to stderr)\n";

static const char repeating[] = "      --repeat N        run N times instead, and say what differs in the counts\n";

static const char tail[] = "  -h, --help            this text\n"
			   "      --version         the version\n"
			   "\n"
			   "Every option can also be set as ITRACE_<OPTION>, as in ITRACE_MODEL=zen4.\n";

static const char status_of_program[] =
	"Exit status: the program's; 125 when itrace itself fails, 126 when the program cannot be\n"
	"executed, 127 when there is no such program. More: man itrace\n";
static const char status_of_report[] = "Exit status: 0, or 125 on failure. More: man itrace\n";

static const char *const of_run[] = {run_head,	     regions,		models_of_report,
				     report_options, tree_option,	per_thread,
				     compare_option, output_options,	"\n",
				     running,	     repeating,		"\n",
				     tail,	     status_of_program, NULL};
static const char *const of_record[] = {record_head, regions, running, "\n", tail, status_of_program, NULL};
static const char *const of_report[] = {report_head,	models_of_report, report_region,
					report_options, tree_option,	  per_thread,
					compare_option, output_options,	  "\n",
					tail,		status_of_report, NULL};
static const char *const of_compare[] = {
	compare_head, models_of_compare, report_region, compare_options, per_thread, compare_output_options, "\n",
	tail,	      status_of_report,	 NULL};

static const char *const of_annotate[] = {
	annotate_head,	   regions, models_of_annotate, annotate_options, "\n", running, "\n", tail,
	status_of_program, NULL};

void help_write(FILE *out, enum options_command command)
{
	static const char *const *const helps[] = {
		[COMMAND_RUN] = of_run,		[COMMAND_RECORD] = of_record,	  [COMMAND_REPORT] = of_report,
		[COMMAND_COMPARE] = of_compare, [COMMAND_ANNOTATE] = of_annotate,
	};

	for (const char *const *part = helps[command]; *part; part++)
		fputs(*part, out);
}
