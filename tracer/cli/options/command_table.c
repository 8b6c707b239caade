#include <string.h>

#include "base/edit_distance.h"
#include "cli/options/option.h"

#define STATUS_OF_PROGRAM                                                                            \
	"Exit status: the program's; 125 when itrace itself fails, 126 when the program cannot be\n" \
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
			 "Counts the instructions that regions of a program execute, and estimates what they cost on\n"
			 "several CPUs. 'itrace record --help' and so on describe the commands.\n",
			 STATUS_OF_PROGRAM "More: man itrace\n"},
	[COMMAND_RECORD] =
		{"record", "itrace record", true, true, "itrace record [-o FILE] [options] [--] program [arguments]\n",
		 "Runs a program and saves what its regions executed, for 'itrace report' and 'itrace compare'.\n",
		 STATUS_OF_PROGRAM "More: man itrace-record\n"},
	[COMMAND_REPORT] = {"report", "itrace report", false, true, "itrace report [options] FILE\n",
			    "Reports on a run that 'itrace record' saved in FILE.\n",
			    STATUS_OF_REPORT "More: man itrace-report\n"},
	[COMMAND_COMPARE] =
		{"compare", "itrace compare", false, true, "itrace compare [options] FILE\n",
		 "Compares what a run that 'itrace record' saved in FILE costs on several CPUs, and lists the\n"
		 "instructions and functions that change rank between them.\n",
		 STATUS_OF_REPORT "More: man itrace-compare\n"},
	[COMMAND_ANNOTATE] =
		{"annotate", "itrace annotate", true, true,
		 "itrace annotate [options] FILE\n"
		 "       itrace annotate [options] [--] program [arguments]\n",
		 "Shows the source of a run with what each line executed and cost, the most expensive lines first.\n"
		 "The run is one that 'itrace record' saved in FILE, or is made now.\n",
		 STATUS_OF_PROGRAM "More: man itrace-annotate\n"},
	[COMMAND_MODELS] =
		{"models", "itrace models", true, false,
		 "itrace models [--format FORMAT]   list the installed models and this machine's\n"
		 "       itrace models show MODEL FORM     what a model says of a form, e.g. 'ADD r64, m64'\n"
		 "       itrace models check FILE...       report all mistakes in model files\n"
		 "       itrace models import FILE --arch ARCH [-o NAME.cost]\n"
		 "                                         make a model from uops.info's XML or AMD's .xlsx\n"
		 "       itrace models form HEX...         the form of the instruction with these bytes, and its\n"
		 "                                         cost on every model\n"
		 "       itrace models form -              for each line of hexadecimal bytes in the input: line,\n"
		 "                                         tab, form\n",
		 "Lists, queries, checks and makes cost models.\n", STATUS_OF_REPORT "More: man itrace-models\n"},
	[COMMAND_BLOCK] =
		{"block", "itrace block", false, false,
		 "itrace block [options] --hex HEX\n"
		 "       itrace block [options] --csv FILE\n"
		 "       itrace block [options] --object FILE --function NAME\n"
		 "       itrace block [options] -\n",
		 "Estimates what one iteration of a basic block costs on an out-of-order CPU in the steady state,\n"
		 "and what limits it.\n",
		 STATUS_OF_REPORT "More: man itrace-block\n"},
	[COMMAND_SAMPLE] =
		{"sample", "itrace sample", true, false, "itrace sample [options] [--] program [arguments]\n",
		 "Notes where a program is, once in each period of its CPU time, and tells how far that can be\n"
		 "trusted.\n",
		 STATUS_OF_PROGRAM "More: man itrace-sample\n"},
	[COMMAND_MEASURE] =
		{"measure", "itrace measure", false, false, "itrace measure [options]\n",
		 "Times the instructions of this machine, and writes a cost model with their latencies and\n"
		 "throughputs.\n",
		 STATUS_OF_REPORT "More: man itrace-measure\n"},
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

	for (int i = COMMAND_RUN + 1; i < N_COMMANDS; i++)
		edit_nearest_offer(&nearest, word, command_rows[i].name);
	return nearest.name;
}
