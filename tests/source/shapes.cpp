// Templates, virtual calls, exceptions and inlined library code; the line that executes most is marked.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};

template <typename T> struct square final : shape {
	explicit square(T side) : side(side)
	{
	}
	double area() const override
	{
		return static_cast<double>(side) * static_cast<double>(side);
	}
	T side;
};

template <typename T> static unsigned mix(const std::vector<T> &items)
{
	unsigned hash = 1;

	for (int round = 0; round < 200; round++)
		for (const T &item : items)
			hash = (hash ^ static_cast<unsigned>(item)) * 16777619u % 1000003u; // hottest
	return hash;
}

static double checked(const shape &each)
{
	if (each.area() > 300)
		throw std::runtime_error("large");
	return each.area();
}

int main()
{
	std::vector<std::unique_ptr<shape>> shapes;
	std::vector<int> numbers;
	double sum = 0;

	for (int i = 0; i < 20; i++) {
		if (i % 2)
			shapes.push_back(std::make_unique<square<int>>(i));
		else
			shapes.push_back(std::make_unique<square<float>>(static_cast<float>(i)));
		numbers.push_back(i * 7 % 13);
	}
	std::sort(numbers.begin(), numbers.end());
	for (const auto &each : shapes) {
		try {
			sum += checked(*each);
		} catch (const std::exception &) {
			sum += 1;
		}
	}
	std::printf("%.0f %u\n", sum, mix(numbers));
}
