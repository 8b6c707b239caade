/* Code that loads SS and is replaced later. Nothing that the tracer inserts may stay behind MOV SS.
 *
 * ANSWER
 *   region shadow: visits 1, cut 0, instructions >= 8
 *   stdout 42 42
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <itrace/markers.h>

static const unsigned char loads_ss[] = {
	0x8c, 0xd0, /* mov eax, ss */
	0x8e, 0xd0, /* mov ss, eax */
	0x90,	    /* nop */
	0xc3,	    /* ret */
};

static const unsigned char answers[] = {
	0x31, 0xc0, /* xor eax, eax */
	0x66, 0x90, /* nop */
	0x31, 0xc0, /* xor eax, eax: over the nop and the ret above */
	0xb0, 0x2a, /* mov al, 42 */
	0xc3,	    /* ret */
};

int main(void)
{
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*function)(void);
	int inside;

	if (code == MAP_FAILED)
		return 1;
	memcpy(&function, &code, sizeof(function));
	PA_BEGIN("shadow");
	memcpy(code, loads_ss, sizeof(loads_ss));
	function();
	memcpy(code, answers, sizeof(answers));
	inside = function();
	PA_END("shadow");
	printf("%d %d\n", inside, function());
	return 0;
}
