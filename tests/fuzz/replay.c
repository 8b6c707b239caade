/* Runs a fuzz target on the given files and on the files in the given folders, like libFuzzer's main, for builds
 * without it. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t n_replayed;

static void replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t n = 0, capacity = 0;

	if (!file) {
		perror(path);
		exit(1);
	}
	do {
		capacity = capacity * 2 + 4096;
		data = realloc(data, capacity);
		if (!data)
			abort();
		n += fread(data + n, 1, capacity - n, file);
	} while (n == capacity);
	fclose(file);
	data = realloc(data, n ? n : 1); /* lets the sanitizer detect a read past the end */
	LLVMFuzzerTestOneInput(data, n);
	free(data);
	n_replayed++;
}

static void replay_folder(DIR *dir, const char *folder)
{
	const struct dirent *entry;

	while ((entry = readdir(dir))) {
		char path[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		replay_file(path);
	}
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);

		if (dir) {
			replay_folder(dir, argv[i]);
			closedir(dir);
		} else {
			replay_file(argv[i]);
		}
	}
	printf("%zu inputs\n", n_replayed);
	return n_replayed > 0 ? 0 : 1;
}
