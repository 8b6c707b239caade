/* Threads that end one after the other and all at once, and threads that still run when the program ends. */
#include <itrace/scopes.h>

#include <semaphore.h>
#include <unistd.h>

#define N_THREADS 8
#define N_SHORT 100
#define N_CALLS 20000

static sem_t waiting;
static pthread_key_t key;

static void work(void)
{
	PA_SCOPE();
	{
		PA_SCOPE("inner");
	}
}

static void *call(void *unused)
{
	int i;

	for (i = 0; i < N_CALLS; i++)
		work();
	return unused;
}

static void *call_and_stay(void *unused)
{
	call(unused);
	sem_post(&waiting);
	for (;;)
		pause();
	return unused;
}

/* libc may run this before or after the destructor of this thread's table. */
static void last_words(void *unused)
{
	PA_SCOPE();
	(void)unused;
}

static void *once(void *unused)
{
	PA_SCOPE();
	pthread_setspecific(key, &key);
	return unused;
}

int main(void)
{
	pthread_t threads[N_THREADS];
	int i;

	sem_init(&waiting, 0, 0);
	pthread_key_create(&key, last_words);
	for (i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, i % 2 ? call : call_and_stay, NULL);
	for (i = 0; i < N_THREADS; i++)
		if (i % 2)
			pthread_join(threads[i], NULL);
	for (i = 0; i < N_THREADS / 2; i++)
		sem_wait(&waiting);
	for (i = 0; i < N_SHORT; i++) {
		pthread_create(&threads[0], NULL, once, NULL);
		pthread_join(threads[0], NULL);
	}
	return 0;
}
