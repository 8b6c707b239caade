#include "source/function_name.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "source/location.h"

#define PLT "@plt"
#define COLD ".cold"
#define ANONYMOUS "(anonymous namespace)::"

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n_text = strlen(text), n_end = strlen(end);

	return n_text >= n_end && strcmp(text + n_text - n_end, end) == 0;
}

/* Returns the text after the bracket that closes the one at `text`, or NULL. The '>' of "->" closes none. */
static const char *skip_group(const char *text)
{
	size_t depth = 0;

	for (const char *at = text; *at; at++) {
		if (strchr("(<[{", *at))
			depth++;
		else if (strchr(")]}", *at) || (*at == '>' && at[-1] != '-'))
			depth--;
		if (depth == 0)
			return at + 1;
	}
	return NULL;
}

static bool is_operator(const char *at, const char *name)
{
	return begins_with(at, "operator") && !isalnum((unsigned char)at[8]) && at[8] != '_' &&
	       (at == name || at[-1] == ':' || at[-1] == ' ');
}

/* Among demangled names, only those of template functions begin with their return type. */
static const char *after_return_type(const char *name)
{
	const char *start = name, *at = name;

	if (strstr(name, " thunk to "))
		return name;
	while (*at && !is_operator(at, name)) {
		if (*at == '(' && !begins_with(at, ANONYMOUS))
			break;
		if (strchr("(<[{", *at)) {
			at = skip_group(at);
			if (!at)
				break;
		} else if (*at++ == ' ') {
			start = at;
		}
	}
	return start;
}

/* Returns the length of a chain of suffixes that GCC and LLVM give to clones, as in ".constprop.0.cold". */
static size_t clone_suffix_bytes(const char *text)
{
	static const char *const kinds[] = {"isra",	"constprop",  "part", "cold",
					    "lto_priv", "localalias", "llvm", "clone"};
	const char *at = text;
	bool is_kind = true;

	while (*at == '.' && is_kind) {
		size_t n = strcspn(at + 1, ".");

		is_kind = n > 0 && strspn(at + 1, "0123456789") == n && at > text;
		for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
			is_kind |= strlen(kinds[i]) == n && strncmp(at + 1, kinds[i], n) == 0;
		if (is_kind)
			at += 1 + n;
	}
	return *at ? 0 : (size_t)(at - text);
}

/* Returns true if users leave out this end of a demangled name when they type it. is_plain: no '.' comes before it. */
static bool is_left_out(const char *rest, bool is_plain)
{
	static const char *const qualifiers[] = {"const", "volatile", "noexcept", "&"};
	bool has_parameters = false;

	while (*rest) {
		const char *before = rest;

		if (*rest == ' ')
			rest++;
		if ((*rest == '(' && !has_parameters) || *rest == '<' || *rest == '[') {
			has_parameters |= *rest == '(';
			rest = skip_group(rest);
			if (!rest)
				return false;
		}
		for (size_t i = 0; has_parameters && i < ARRAY_LENGTH(qualifiers); i++)
			if (begins_with(rest, qualifiers[i]))
				rest += strlen(qualifiers[i]);
		if (strcmp(rest, PLT) == 0)
			return true;
		/* GCC's nested functions are f.0; closures of Go are main.f.func1.2. */
		if (*rest == '.' &&
		    (clone_suffix_bytes(rest) || (is_plain && strspn(rest + 1, "0123456789") == strlen(rest + 1))))
			return true;
		if (rest == before)
			return false;
	}
	return true;
}

static bool is_spelling(const char *typed, const char *name)
{
	const char *start = name;

	while (*typed) {
		if (*typed == *name)
			typed++, name++;
		else if (*typed == ' ')
			typed++;
		else if (*name == ' ')
			name++;
		else if (begins_with(name, ANONYMOUS))
			name += strlen(ANONYMOUS);
		else if ((*name == '<' || *name == '[') && skip_group(name))
			name = skip_group(name);
		else
			return false;
	}
	return is_left_out(name, !memchr(start, '.', (size_t)(name - start)));
}

/* The cold part of a function is entered by a jump from its middle, so it is no call of the function. */
static bool is_cold(const char *name)
{
	const char *cold = strstr(name, COLD);

	return cold && (cold[strlen(COLD)] == '\0' || strchr(".]", cold[strlen(COLD)]));
}

bool function_pattern_is_name(const struct function_pattern *pattern, const char *name)
{
	char *base = xstrdup(pattern->name), *suffix = base + strcspn(base, ".");
	bool is_name = strcmp(pattern->name, name) == 0;

	while (*suffix && !clone_suffix_bytes(suffix))
		suffix += 1 + strcspn(suffix + 1, ".");
	if (!is_name && is_cold(name) == is_cold(suffix) && ends_with(name, PLT) == ends_with(base, PLT) &&
	    strstr(name, suffix)) {
		*suffix = '\0';
		base[strlen(base) - (ends_with(base, PLT) ? strlen(PLT) : 0)] = '\0';
		is_name = is_spelling(base, name) || is_spelling(base, after_return_type(name));
	}
	free(base);
	return is_name;
}

static char *without_anonymous(const char *name)
{
	char *copy = xstrdup(name), *at = copy;

	while ((at = strstr(at, ANONYMOUS)))
		memmove(at, at + strlen(ANONYMOUS), strlen(at + strlen(ANONYMOUS)) + 1);
	return copy;
}

bool function_pattern_fits_name(const struct function_pattern *pattern, const char *name)
{
	const char *typed = pattern->wildcards, *plain;
	char *named, *short_name;
	bool fits;

	if (!typed || ends_with(name, PLT) != ends_with(typed, PLT) || (is_cold(name) && !strstr(typed, "cold")))
		return false;
	named = without_anonymous(name);
	plain = after_return_type(named);
	short_name = xasprintf("%.*s", (int)strcspn(plain, "("), plain);
	fits = fnmatch(typed, plain, 0) == 0 || fnmatch(typed, short_name, 0) == 0;
	free(short_name);
	free(named);
	return fits;
}

static bool has_wildcards(const char *text)
{
	for (const char *at = text; *at; at++)
		if ((*at == '*' || *at == '?') && !(at - text >= 8 && is_operator(at - 8, text)))
			return true;
	return false;
}

/* Brackets belong to names, as in "operator[]" and "[clone .isra.0]"; for fnmatch(3) they would be sets. */
static char *quote_brackets(const char *text)
{
	char *quoted = xcalloc(strlen(text) + 1, 2), *out = quoted;

	for (; *text; text++) {
		if (*text == '[')
			*out++ = '\\';
		*out++ = *text;
	}
	return quoted;
}

void function_pattern_init(struct function_pattern *pattern, const char *text)
{
	size_t n = strcspn(text, ":(<");
	const char *name = text;

	*pattern = (struct function_pattern){0};
	if (n > 0 && text[n] == ':' && text[n + 1] && text[n + 1] != ':') {
		pattern->module = xasprintf("%.*s", (int)n, text);
		name = text + n + 1;
	}
	pattern->name = source_demangle(name) ?: xstrdup(name);
	pattern->wildcards = has_wildcards(name) ? quote_brackets(name) : NULL;
}

void function_pattern_deinit(struct function_pattern *pattern)
{
	free(pattern->module);
	free(pattern->name);
	free(pattern->wildcards);
}

bool function_pattern_fits_module(const struct function_pattern *pattern, const char *path)
{
	const char *file_name = path_file_name(path), *extension = strstr(file_name, ".so");

	return !pattern->module || strcmp(pattern->module, path) == 0 || fnmatch(pattern->module, file_name, 0) == 0 ||
	       (extension && strlen(pattern->module) == (size_t)(extension - file_name) &&
		begins_with(file_name, pattern->module));
}

char *function_name_base(const char *name)
{
	char *named = without_anonymous(name), *result;
	const char *base = after_return_type(named), *at = base;
	size_t n;

	while (*at && *at != '(') {
		if (strchr("<[{", *at) && skip_group(at))
			at = skip_group(at);
		else if (*at++ == ':')
			base = at;
	}
	n = strcspn(base, "(<[@.");
	while (base[n] == '.' && !clone_suffix_bytes(base + n)) /* as in Go: package.function */
		n += 1 + strcspn(base + n + 1, "(<[@.");
	result = xasprintf("%.*s", (int)n, base);
	free(named);
	return result;
}
