/* Floating-point arithmetic. */
#include "kernels.h"

#include <immintrin.h>
#include <math.h>
#include <string.h>

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

KERNEL uint64_t kernel_daxpy(struct data *data)
{
	double *out = (double *)data->out;

	for (size_t i = 0; i < N_WORDS; i++)
		out[i] = 1.5 * data->a[i] + data->b[i];
	return bits_of(out[3]);
}

__attribute__((target("avx2,fma"))) KERNEL uint64_t kernel_daxpy_fma(struct data *data)
{
	double *out = (double *)data->out;
	__m256d factor = _mm256_set1_pd(1.5);

	for (size_t i = 0; i < N_WORDS; i += 4)
		_mm256_storeu_pd(&out[i],
				 _mm256_fmadd_pd(factor, _mm256_loadu_pd(&data->a[i]), _mm256_loadu_pd(&data->b[i])));
	return bits_of(out[3]);
}

KERNEL uint64_t kernel_dot(struct data *data)
{
	double sum = 0;

	for (size_t i = 0; i < N_WORDS; i++)
		sum += data->a[i] * data->b[i];
	return bits_of(sum);
}

__attribute__((target("avx2,fma"))) KERNEL uint64_t kernel_dot_fma(struct data *data)
{
	__m256d sums[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
	double parts[4];

	for (size_t i = 0; i < N_WORDS; i += 16) {
		sums[0] = _mm256_fmadd_pd(_mm256_loadu_pd(&data->a[i]), _mm256_loadu_pd(&data->b[i]), sums[0]);
		sums[1] = _mm256_fmadd_pd(_mm256_loadu_pd(&data->a[i + 4]), _mm256_loadu_pd(&data->b[i + 4]), sums[1]);
		sums[2] = _mm256_fmadd_pd(_mm256_loadu_pd(&data->a[i + 8]), _mm256_loadu_pd(&data->b[i + 8]), sums[2]);
		sums[3] = _mm256_fmadd_pd(_mm256_loadu_pd(&data->a[i + 12]), _mm256_loadu_pd(&data->b[i + 12]),
					  sums[3]);
	}
	_mm256_storeu_pd(parts, _mm256_add_pd(_mm256_add_pd(sums[0], sums[1]), _mm256_add_pd(sums[2], sums[3])));
	return bits_of(parts[0] + parts[1] + parts[2] + parts[3]);
}

KERNEL uint64_t kernel_matmul(struct data *data)
{
	double *out = (double *)data->out;

	for (size_t i = 0; i < N_MATRIX; i++)
		for (size_t j = 0; j < N_MATRIX; j++) {
			double sum = 0;

			for (size_t k = 0; k < N_MATRIX; k++)
				sum += data->a[i * N_MATRIX + k] * data->b[k * N_MATRIX + j];
			out[i * N_MATRIX + j] = sum;
		}
	return bits_of(out[17]);
}

__attribute__((target("avx2,fma"))) KERNEL uint64_t kernel_matmul_fma(struct data *data)
{
	double *out = (double *)data->out;

	for (size_t i = 0; i < N_MATRIX; i++)
		for (size_t j = 0; j < N_MATRIX; j += 8) {
			__m256d low = _mm256_setzero_pd(), high = _mm256_setzero_pd();

			for (size_t k = 0; k < N_MATRIX; k++) {
				__m256d factor = _mm256_broadcast_sd(&data->a[i * N_MATRIX + k]);
				const double *row = &data->b[k * N_MATRIX + j];

				low = _mm256_fmadd_pd(factor, _mm256_loadu_pd(row), low);
				high = _mm256_fmadd_pd(factor, _mm256_loadu_pd(row + 4), high);
			}
			_mm256_storeu_pd(&out[i * N_MATRIX + j], low);
			_mm256_storeu_pd(&out[i * N_MATRIX + j + 4], high);
		}
	return bits_of(out[17]);
}

KERNEL uint64_t kernel_polynomial(struct data *data)
{
	double x = data->a[1], value = 0;

	for (size_t i = 0; i < N_WORDS; i++)
		value = value * x + data->b[i];
	return bits_of(value);
}

KERNEL uint64_t kernel_divide_float(struct data *data)
{
	double x = 1;

	for (size_t i = 0; i < N_WORDS; i++)
		x = data->a[i] / (x + 1);
	return bits_of(x);
}

KERNEL uint64_t kernel_square_roots(struct data *data)
{
	double *out = (double *)data->out;

	for (size_t i = 0; i < N_WORDS; i++)
		out[i] = __builtin_sqrt(data->a[i] * data->a[i]);
	return bits_of(out[3]);
}

KERNEL uint64_t kernel_distances(struct data *data)
{
	double nearest = INFINITY;

	for (size_t i = 0; i + 1 < N_WORDS; i += 2) {
		double x = data->a[i] - data->b[i], y = data->a[i + 1] - data->b[i + 1], square = x * x + y * y;

		nearest = square < nearest ? square : nearest;
	}
	return bits_of(nearest);
}

KERNEL uint64_t kernel_mandelbrot(struct data *data)
{
	double re = data->a[2] * 0.001, im = 0.1, x = 0, y = 0;

	for (size_t i = 0; i < N_WORDS; i++) {
		double next = x * x - y * y + re;

		y = 2 * x * y + im;
		x = next;
	}
	return bits_of(x + y);
}

KERNEL uint64_t kernel_convert(struct data *data)
{
	int64_t sum = 0;

	for (size_t i = 0; i < N_WORDS; i++)
		sum += (int64_t)(data->a[i] * (double)data->ints[i]);
	return (uint64_t)sum;
}

const struct kernel float_kernels[] = {
	{"daxpy", kernel_daxpy, NULL},
	{"daxpy_fma", kernel_daxpy_fma, "fma"},
	{"dot", kernel_dot, NULL},
	{"dot_fma", kernel_dot_fma, "fma"},
	{"matmul", kernel_matmul, NULL},
	{"matmul_fma", kernel_matmul_fma, "fma"},
	{"polynomial", kernel_polynomial, NULL},
	{"divide_float", kernel_divide_float, NULL},
	{"square_roots", kernel_square_roots, NULL},
	{"distances", kernel_distances, NULL},
	{"mandelbrot", kernel_mandelbrot, NULL},
	{"convert", kernel_convert, NULL},
	{NULL, NULL, NULL},
};
