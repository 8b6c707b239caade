/* C++ exceptions: caught inside the region, and thrown out of it past its end marker. A region's scope in C++.
 *
 * ANSWER
 *   region caught: visits 3, left 0, cut 0, instructions >= 30
 *   region thrown: visits 3, left 2, cut 1, instructions >= 30
 *   stdout 3 3
 *
 * Each call ends when the exception has gone past its frame.
 * ANSWER --function throw_out --function catch_inside
 *   region throw_out: visits 3, left 0, cut 0, instructions >= 30
 *   region catch_inside: visits 3, left 0, cut 0, instructions >= 30
 */
#include <cstdio>

#include <itrace/markers.h>

extern "C" {
__attribute__((noinline)) void throw_out(int n);
__attribute__((noinline)) int catch_inside(int n);
}

void throw_out(int n)
{
	PA_BEGIN("thrown");
	if (n >= 0)
		throw n;
	PA_END("thrown");
}

int catch_inside(int n)
{
	int caught = 0;
	PA_BEGIN("caught");
	try {
		if (n >= 0)
			throw n;
	} catch (int) {
		caught = 1;
	}
	PA_END("caught");
	return caught;
}

int main()
{
	int inside = 0, outside = 0;
	for (int i = 0; i < 3; i++)
		inside += catch_inside(i);
	for (int i = 0; i < 3; i++) {
		try {
			throw_out(i);
		} catch (int) {
			outside++;
		}
	}
	std::printf("%d %d\n", inside, outside);
	return 0;
}
