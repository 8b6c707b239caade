/* Translated code of processes that have ended, for later ones (translate/warm_start.h). */
#ifndef ITRACE_ENGINE_WARM_CODE_H
#define ITRACE_ENGINE_WARM_CODE_H

#include <stddef.h>

struct warm_code;

/* All zero at first. */
struct warm_codes {
	struct warm_code **list; /* [n_list], the newest last */
	size_t n_list, list_capacity;
};

void warm_codes_deinit(struct warm_codes *codes);

#endif
