/* Loads second.c as a plugin, calls it in a thread that outlives the plugin, and unloads it. Does this twice. */
#include <dlfcn.h>
#include <semaphore.h>
#include <stdio.h>

#include "shared.h"

static void (*function)(void);
static sem_t called, unloaded;

static void *call(void *unused)
{
	function();
	sem_post(&called);
	sem_wait(&unloaded);
	return unused;
}

int main(int argc, char **argv)
{
	int i;

	in_header();
	for (i = 0; i < 2; i++) {
		void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
		pthread_t thread;

		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		*(void **)&function = dlsym(library, "second_file");
		sem_init(&called, 0, 0);
		sem_init(&unloaded, 0, 0);
		pthread_create(&thread, NULL, call, NULL);
		sem_wait(&called);
		dlclose(library);
		sem_post(&unloaded);
		pthread_join(thread, NULL);
	}
	return 0;
}
