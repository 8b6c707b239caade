// Memory by line. A line that asks for some says what: "allocator calls bytes bytes-kept", several with commas between.
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <string>
#include <sys/mman.h>
#include <vector>

#include <itrace/markers.h>

struct alignas(64) Wide {
	char bytes[128];
};

static void *volatile kept[8];

__attribute__((noinline)) static void *get(size_t n_bytes)
{
	return malloc(n_bytes); // malloc 4 1000 100
}

/* Pages: a hole, the begin, what moves and grows, and its begin mapped anew. */
__attribute__((noinline)) static bool map_pages()
{
	const int access = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *pages = (char *)mmap(nullptr, 32768, access, flags, -1, 0); // mmap 1 32768 20480
	char *moved = (char *)mmap(nullptr, 10000, access, flags, -1, 0); // mmap 1 10000 0

	if (pages == MAP_FAILED || moved == MAP_FAILED)
		return false;
	munmap(pages + 8192, 4096);				     // munmap 1 4096 0
	munmap(pages, 8192);					     // munmap 1 8192 0
	moved = (char *)mremap(moved, 10000, 65536, MREMAP_MAYMOVE); // mremap 1 65536 49152
	if (moved == MAP_FAILED)
		return false;
	return mmap(moved, 16384, access, flags | MAP_FIXED, -1, 0) == moved; // mmap 1 16384 16384
}

static void leave()
{
	throw 1;
}

int main()
{
	void *volatile before = malloc(1000);
	void *volatile after;
	volatile size_t huge = SIZE_MAX / 2;
	void *aligned = nullptr;

	PA_BEGIN("memory");
	for (size_t i = 1; i <= 4; i++)
		kept[i] = get(100 * i);
	for (size_t i = 2; i <= 4; i++)
		free(kept[i]);		       // free 3 900 0
	kept[2] = calloc(7, 3);		       // calloc 1 21 0
	kept[2] = realloc(kept[2], 5000);      // realloc 1 5000 5000
	kept[2] = realloc(kept[2], huge);      // realloc 1 0 0
	kept[2] = realloc(kept[7], 60);	       // realloc 1 60 60
	if (posix_memalign(&aligned, 64, 256)) // aligned 1 256 0
		return 1;
	free(aligned);				 // free 1 256 0
	kept[3] = aligned_alloc(32, 96);	 // aligned 1 96 96
	kept[4] = new char[11];			 // new 1 11 0
	operator delete[](kept[4]);		 // delete 1 11 0
	delete new Wide;			 // new 1 128 0, delete 1 128 0
	kept[4] = new (std::nothrow) char[huge]; // new 1 0 0
	try {
		std::string text(100, 'x'); // new 1 101 0
		leave();
	} catch (int) {
	}
	if (!map_pages())
		return 1;
	free(before);	    // free 1 0 0
	after = malloc(77); // malloc 1 77 0
	PA_END("memory");
	free(after);
	kept[5] = malloc(123);
	return 0;
}
