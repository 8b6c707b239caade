/* Four threads in a function whose first instruction begins with 0f, as system calls do. No thread may slip past its
 * breakpoint while another one steps over it.
 *
 * ANSWER --function hash
 *   region hash: visits 1200, cut 0, instructions >= 1200
 *   stdout 1200 ok
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { N_THREADS = 4, N_CALLS = 300 };

unsigned hash(const unsigned char *text);

/* In assembly: the first instruction matters. */
__asm__(".intel_syntax noprefix\n"
	".globl hash\n"
	".type hash, @function\n"
	"hash: movzx eax, byte ptr [rdi]\n"
	"	add eax, eax\n"
	"	ret\n"
	".size hash, . - hash\n"
	".att_syntax\n");

static atomic_int n_right;

static void *call(void *unused)
{
	(void)unused;
	for (int i = 0; i < N_CALLS; i++)
		if (hash((const unsigned char *)"a") == 2 * 'a')
			n_right++;
	return NULL;
}

int main(void)
{
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		if (pthread_create(&threads[i], NULL, call, NULL))
			return 1;
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d ok\n", n_right);
	return 0;
}
