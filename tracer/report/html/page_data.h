/* The data of the HTML page. Private to report/html/. */
#ifndef ITRACE_REPORT_HTML_PAGE_DATA_H
#define ITRACE_REPORT_HTML_PAGE_DATA_H

#include <jansson.h>

#include "report/writer.h"

/* Returns a new reference. Tables are objects with an array for each column, so that names are not repeated. */
json_t *page_data(const struct report *report);

#endif
