#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void error_format(struct error *err, enum error_kind kind, const char *format, va_list args)
{
	err->kind = kind;
	err->errno_value = 0;
	vsnprintf(err->text, sizeof(err->text), format, args);
}

bool error_set(struct error *err, enum error_kind kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_format(err, kind, format, args);
	va_end(args);
	return false;
}

bool error_set_errno(struct error *err, enum error_kind kind, const char *format, ...)
{
	int saved = errno;
	va_list args;
	size_t used;

	va_start(args, format);
	error_format(err, kind, format, args);
	va_end(args);
	err->errno_value = saved;
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(saved));
	return false;
}

int error_exit_status(const struct error *err)
{
	switch (err->kind) {
	case ERROR_NOT_EXECUTABLE:
		return 126;
	case ERROR_NOT_FOUND:
		return 127;
	default:
		return 125;
	}
}
