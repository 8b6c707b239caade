// Functions of all kinds, and their addresses for the test that looks up their names.
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, used))

namespace shapes
{

template <typename T> NOINLINE T area(T width, T height)
{
	return width * height;
}

struct box {
	int width;
	NOINLINE bool is_named(const char *name) const
	{
		return width != 0 && getenv(name) != nullptr;
	}
};

} // namespace shapes

static NOINLINE int hidden_function(int n)
{
	return n * 3;
}

extern "C" {

static NOINLINE int plain_static(int n)
{
	return n * 5;
}

NOINLINE int helper_exported(int n)
{
	return n * 7;
}

// One function, four names, of which the plainest is to be shown.
int helper_alias(int n) __attribute__((alias("helper_exported")));
int _helper_exported(int n) __attribute__((alias("helper_exported")));
int helper_a(int n) __attribute__((weak, alias("helper_exported")));

// As assemblers leave them: without type and size.
__asm__(".pushsection helper_code, \"ax\", @progbits\n"
	".globl asm_first, asm_second\n"
	".hidden asm_first, asm_second\n"
	"asm_first: nop\n"
	"nop\n"
	"nop\n"
	"asm_second: nop\n"
	"ret\n"
	".popsection\n");
extern char asm_first[] __attribute__((visibility("hidden"))), asm_second[] __attribute__((visibility("hidden")));

int helper_use(int n);
int helper_use(int n)
{
	return hidden_function(n) + plain_static(n) + shapes::area(n, n) + (int)shapes::area(2.0, 3.0) +
	       shapes::box{n}.is_named("SHAPE");
}

extern const void *const helper_addresses[];
const void *const helper_addresses[] = {
	(const void *)helper_exported,
	(const void *)hidden_function,
	(const void *)plain_static,
	(const void *)(double (*)(double, double))shapes::area<double>,
	asm_first,
	asm_second,
};

} // extern "C"
