/* Counts known work: 100 first accesses to pages, 100,000 instructions. Prints the counts of four events, one of
 * which does not exist; the numbers of open files while counting and afterwards; the status of PA_COUNT_BEGIN and of
 * each event. REFUSE is an errno with which the kernel then refuses. */
#include <itrace/counters.h>

#include <dirent.h>

#define N_PAGES 100

#ifdef REFUSE
#ifdef __cplusplus
extern "C"
#endif
	long
	syscall(long number, ...)
{
	(void)number;
	errno = REFUSE;
	return -1;
}
#endif

#ifdef PA_WITH_PFM
#define PAGE_FAULTS "PERF_COUNT_SW_PAGE_FAULTS"
#else
#define PAGE_FAULTS "page-faults"
#endif

static volatile char *pages;
static unsigned long page_bytes;

static void work(void)
{
	unsigned sum = 1;
	int i;

	for (i = 0; i < N_PAGES; i++)
		pages[page_bytes * (unsigned)i] = 1;
	for (i = 0; i < 1000; i++)
		__asm__ __volatile__(".rept 98\n\tadd %0, %0\n\t.endr" : "+r"(sum)::"cc");
}

static int n_open_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

static struct pa_count c = PA_COUNT_INIT;
static int n_evaluated;

static struct pa_count *evaluate(void)
{
	n_evaluated++;
	return &c;
}

int main(void)
{
	int i, n_before = n_open_files(), n_during;
	enum pa_count_status status = PA_COUNT_OK;

	page_bytes = (unsigned long)sysconf(_SC_PAGESIZE);
	for (i = 0; i < 2; i++) {
		pages = (volatile char *)mmap(NULL, N_PAGES * page_bytes, PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#ifdef MADV_NOHUGEPAGE
		madvise((void *)(uintptr_t)pages, N_PAGES * page_bytes, MADV_NOHUGEPAGE);
#endif
		status = PA_COUNT_BEGIN(*evaluate(), PAGE_FAULTS, "instructions", "cycles", "no-such-event");
		work();
		PA_COUNT_END(*evaluate());
	}
	n_during = n_open_files();
	PA_COUNT_PRINT(*evaluate(), stdout);
	PA_COUNT_CLOSE(*evaluate());
	printf("%d %d %d", n_during - n_before, n_open_files() - n_before, (int)status);
	for (i = 0; i < 4; i++)
		printf(" %d", (int)c.status[i]);
	printf("\n");
	return n_evaluated == 6 ? 0 : 1;
}
