/* Reads a counter through a page like the kernel's. A function replaces RDPMC. */
#include <stdint.h>

static uint64_t fake_counter(uint32_t counter);
#define ITRACE_RDPMC_(counter) fake_counter(counter)

#include <itrace/counters.h>

#include <assert.h>

static struct perf_event_mmap_page page;
static uint64_t counter;
static int n_interrupts;

static uint64_t fake_counter(uint32_t number)
{
	assert(number == 2);
	if (n_interrupts-- > 0) { /* the kernel moves the count from the counter to the offset */
		page.lock++;
		page.offset += (int64_t)counter;
		counter = 0;
	}
	return counter;
}

int main(void)
{
	uint64_t value = 0;

	page.index = 3;
	page.pmc_width = 48;
	page.offset = 1000;
	counter = 50;
	assert(!itrace_count_read_page_(&page, &value)); /* RDPMC is forbidden */
	page.cap_user_rdpmc = 1;
	assert(itrace_count_read_page_(&page, &value) && value == 1050);
	n_interrupts = 2;
	assert(itrace_count_read_page_(&page, &value) && value == 1050 && n_interrupts == -1);
	counter = ((uint64_t)1 << 48) - 5; /* -5 in 48 bits */
	page.offset = 1000;
	assert(itrace_count_read_page_(&page, &value) && value == 995);
	page.index = 0; /* not scheduled on the CPU */
	assert(!itrace_count_read_page_(&page, &value));
	return 0;
}
