/* Scopes named after C++ functions. check-scopes holds the names. */
#include <itrace/scopes.h>

namespace ns
{
struct plain {
	plain() { PA_SCOPE(); }
	~plain() { PA_SCOPE(); }
	int m(const char *) const
	{
		PA_SCOPE();
		return 0;
	}
	static plain *fixed()
	{
		PA_SCOPE();
		return nullptr;
	}
	void operator()() { PA_SCOPE(); }
	bool operator<(const plain &) const
	{
		PA_SCOPE();
		return false;
	}
	operator int() const
	{
		PA_SCOPE();
		return 0;
	}
	void (*pointer(int))(int)
	{
		PA_SCOPE();
		return nullptr;
	}
};

template <typename T> struct box {
	struct inner {
		T m(T value)
		{
			PA_SCOPE();
			return value;
		}
	};
};

namespace
{
void hidden()
{
	PA_SCOPE();
}
} // namespace
} // namespace ns

static void m()
{
	PA_SCOPE();
}

int main()
{
	ns::plain plain;
	ns::box<void (*)(int)>::inner inner;

	plain.m("");
	plain.fixed();
	plain();
	plain.pointer(0);
	inner.m(nullptr);
	ns::hidden();
	m();
	return (plain < plain) + int(plain);
}
