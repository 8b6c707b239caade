/* Checks that a form exists, for `itrace models check`. */
#ifndef ITRACE_CLI_FORM_CHECK_H
#define ITRACE_CLI_FORM_CHECK_H

#include "costmodels/model/text_index.h"

/* All zero at first. */
struct form_check {
	char **forms; /* [n_forms] of all instructions; empty until the first check */
	size_t n_forms, forms_capacity;
	struct text_index index; /* of `forms` */
};

void form_check_deinit(struct form_check *check);

/* Returns the `explain` of struct model_form_check; context: a struct form_check. The first call takes some seconds. */
char *form_check_explain(void *context, const char *form);

#endif
