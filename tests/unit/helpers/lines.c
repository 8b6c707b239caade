/* Source lines for test_lines.c. Each label has its own address, because each function is inlined once. */
#define PLACE(name) __asm__ volatile(".globl " #name "\n" #name ":\n\tnop")

void outer(void);

#line 10 "below/../inner.h"
static inline __attribute__((always_inline)) void inner(void)
{
	PLACE(at_inner);
}
#line 20 "middle.h"
static inline __attribute__((always_inline)) void middle(void)
{
	inner();
	PLACE(at_middle);
}
#line 30 "/nowhere/./outer.c"
void outer(void)
{
	middle();
	PLACE(at_outer);
}
