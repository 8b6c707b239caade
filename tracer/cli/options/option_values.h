/* The values of options, from text. Each says what would be right where a text is not, and leaves its output then. Private to the
 * files that read command lines. */
#ifndef ITRACE_CLI_OPTIONS_OPTION_VALUES_H
#define ITRACE_CLI_OPTIONS_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/engine.h"
#include "report/report.h"

bool option_parse_format(const char *text, enum report_format *format, struct error *err);
bool option_parse_by(const char *text, enum profile_group_by *by, struct error *err);
bool option_parse_engine(const char *text, enum engine_kind *engine, struct error *err);

/* `option` is its name, for the message. A limit is not 0, which would mean that there is none. */
bool option_parse_count(const char *option, const char *text, size_t *count, struct error *err);
bool option_parse_limit(const char *option, const char *text, uint64_t *limit, struct error *err);
bool option_parse_seconds(const char *option, const char *text, uint64_t *ns, struct error *err);

/* Of -p. */
bool option_parse_pid(const char *text, int32_t *pid, struct error *err);

#endif
