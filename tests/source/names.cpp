/* Functions with names of all kinds, for functions.py. Each is called ten times, or as often as argv[1] says. */
#include <cstdio>
#include <cstdlib>

#define KEPT __attribute__((noinline, noclone))

namespace n
{
struct S {
	template <class T> static KEPT T g(T value)
	{
		return value * 3 + 1;
	}
	KEPT int operator*(int factor) const
	{
		return factor * 5;
	}
	KEPT int operator()(int value) const
	{
		return value - 7;
	}
};
} // namespace n

namespace
{
KEPT int hidden(int value)
{
	return value ^ 21;
}
} // namespace

/* GCC makes a copy for the constant argument: scaled.constprop.0. */
static __attribute__((noinline)) int scaled(int value, int factor)
{
	return value % (factor + 1);
}

__attribute__((always_inline)) static inline int folded(int value)
{
	return value * 11 + 4;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
	n::S s;
	unsigned sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += n::S::g<int>(i + argc) + (int)n::S::g<long>(i) + s * i + s(i) + hidden(i) + scaled(i + argc, 9) +
		       folded(i);
	std::printf("%u\n", sum);
	return 0;
}
