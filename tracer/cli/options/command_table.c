#include <string.h>

#include "base/edit_distance.h"
#include "cli/options/option.h"

#define STATUS_OF_PROGRAM                                                                           \
	"Exit status: the program's; 125 when itrace itself fails, 126 when the program cannot be " \
	"executed, 127 when there is no such program. "
#define STATUS_OF_REPORT "Exit status: 0, or 125 on failure. "

const struct command_row command_rows[N_COMMANDS] = {
	[COMMAND_RUN] = {"", "itrace", true, true,
			 "itrace [options] [--] program [arguments]\n"
			 "       itrace record [-o FILE] [options] [--] program [arguments]\n"
			 "       itrace report|compare [options] FILE\n"
			 "       itrace annotate [options] FILE or program [arguments]\n"
			 "       itrace models [show MODEL FORM | form HEX]\n"
			 "       itrace block [--hex HEX | --csv FILE | --object FILE --function NAME | -]\n"
			 "       itrace sample [options] [--] program [arguments]\n"
			 "       itrace measure [options]\n",
			 "Counts the instructions that regions of a program execute, and estimates what they cost on "
			 "several CPUs. 'itrace record --help' and so on describe the commands.",
			 STATUS_OF_PROGRAM "More: man itrace"},
	[COMMAND_RECORD] =
		{"record", "itrace record", true, true, "itrace record [-o FILE] [options] [--] program [arguments]\n",
		 "Runs a program and saves what its regions executed, for 'itrace report', 'itrace annotate' "
		 "and 'itrace compare'.",
		 STATUS_OF_PROGRAM "More: man itrace-record"},
	[COMMAND_REPORT] = {"report", "itrace report", false, true, "itrace report [options] FILE\n",
			    "Reports on a run that 'itrace record' saved in FILE.",
			    STATUS_OF_REPORT "More: man itrace-report"},
	[COMMAND_COMPARE] =
		{"compare", "itrace compare", false, true, "itrace compare [options] FILE\n",
		 "Compares what a run that 'itrace record' saved in FILE costs on several CPUs, and lists the "
		 "instructions and functions that change rank between them.",
		 STATUS_OF_REPORT "More: man itrace-compare"},
	[COMMAND_ANNOTATE] =
		{"annotate", "itrace annotate", true, true,
		 "itrace annotate [options] FILE\n"
		 "       itrace annotate [options] [--] program [arguments]\n",
		 "Shows the source of a run with what each line executed and cost, the most expensive lines first. "
		 "The run is one that 'itrace record' saved in FILE, or is made now.",
		 STATUS_OF_PROGRAM "More: man itrace-annotate"},
	[COMMAND_MODELS] = {"models", "itrace models", true, false,
			    "itrace models [--format FORMAT]\n"
			    "           list the installed models and this machine's\n"
			    "       itrace models show MODEL FORM\n"
			    "           what a model says of a form, e.g. 'ADD r64, m64'\n"
			    "       itrace models check FILE...\n"
			    "           report all mistakes in model files\n"
			    "       itrace models import FILE --arch ARCH [-o NAME.cost]\n"
			    "           make a model from uops.info's XML or AMD's .xlsx\n"
			    "       itrace models form HEX...\n"
			    "           the form of the instruction with these bytes, its cost on every model\n"
			    "       itrace models form -\n"
			    "           for each line of hexadecimal bytes in the input: line, tab, form\n",
			    "Lists, queries, checks and makes cost models.",
			    STATUS_OF_REPORT "More: man itrace-models"},
	[COMMAND_BLOCK] =
		{"block", "itrace block", false, false,
		 "itrace block [options] --hex HEX\n"
		 "       itrace block [options] --csv FILE\n"
		 "       itrace block [options] --object FILE --function NAME\n"
		 "       itrace block [options] -\n",
		 "Estimates what one iteration of a basic block costs on an out-of-order CPU in the steady state, "
		 "and what limits it.",
		 STATUS_OF_REPORT "More: man itrace-block"},
	[COMMAND_SAMPLE] =
		{"sample", "itrace sample", true, false, "itrace sample [options] [--] program [arguments]\n",
		 "Notes where a program is, once in each period of its CPU time, and tells how far that can be "
		 "trusted.",
		 STATUS_OF_PROGRAM "More: man itrace-sample"},
	[COMMAND_MEASURE] = {"measure", "itrace measure", false, false, "itrace measure [options]\n",
			     "Times the instructions of this machine, and writes a cost model with their latencies and "
			     "throughputs.",
			     STATUS_OF_REPORT "More: man itrace-measure"},
};

enum command command_find(const char *name)
{
	for (int i = COMMAND_RUN + 1; i < N_COMMANDS; i++)
		if (strcmp(name, command_rows[i].name) == 0)
			return (enum command)i;
	return COMMAND_RUN;
}

const char *command_suggest(const char *word)
{
	struct edit_nearest nearest = {0};

	if (strcmp(word, "help") == 0)
		return "--help";
	for (int i = COMMAND_RUN + 1; i < N_COMMANDS; i++)
		edit_nearest_offer(&nearest, word, command_rows[i].name);
	return nearest.name;
}
