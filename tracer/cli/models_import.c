#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/commands.h"
#include "cli/message.h"

#define SCRIPT "itrace-import-model"

/* Returns the script's path: beside this program, or in the tools/ folder of its build tree. Returns NULL if it is in
 * neither. The caller frees it. */
static char *find_script(void)
{
	static const char *const folders[] = {"", "tools/"};
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (n <= 0)
		return NULL;
	program[n] = '\0';
	strrchr(program, '/')[1] = '\0'; /* the kernel gives absolute paths */
	for (size_t i = 0; i < ARRAY_LENGTH(folders); i++) {
		char *path = xasprintf("%s%s" SCRIPT, program, folders[i]);

		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

int command_models_import(int argc, char **argv)
{
	char **words = xcalloc((size_t)argc + 3, sizeof(*words)); /* python3 -I SCRIPT argv[1] ... NULL */
	char *script = find_script();
	struct error err = {0};

	words[0] = "python3";
	words[1] = "-I"; /* ignores modules of the user with names of standard ones */
	words[2] = script ? script : SCRIPT;
	memcpy(words + 3, argv + 1, (size_t)(argc - 1) * sizeof(*words));
	if (script) {
		execvp(words[0], words);
		error_set_errno(&err, ERROR_ENVIRONMENT,
				"'itrace models import' needs Python 3; install it: cannot run python3");
	} else {
		execvp(words[2], words + 2);
		error_set_errno(&err, ERROR_ENVIRONMENT,
				"'itrace models import' needs " SCRIPT
				" beside itrace or in $PATH; install itrace again: cannot run " SCRIPT);
	}
	free(script);
	free(words);
	return message_error(&err);
}
