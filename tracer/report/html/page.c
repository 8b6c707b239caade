/* A page for a browser that needs no other file: the data as JSON (page_data.c), and a script that draws it
 * (page.js). */
#include <stdio.h>
#include <stdlib.h>

#include "base/escape.h"
#include "report/html/page_data.h"

/* page_css[] and page_js[] */
#include "report/page_texts.inc"

/* HTML standard, 4.12.1.3: "</script>" ends JSON in a script element, and "<!--" changes how it is read. */
static int write_in_script(const char *json, size_t n_bytes, void *context)
{
	FILE *out = context;

	for (size_t i = 0; i < n_bytes; i++) {
		if (json[i] == '<')
			fputs("\\u003c", out);
		else
			fputc(json[i], out);
	}
	return 0;
}

static void write_escaped(FILE *out, const char *raw)
{
	char *text = escape_text(raw, ESCAPE_FOR_TERMINAL);

	for (const char *c = text; *c; c++) {
		if (*c == '<')
			fputs("&lt;", out);
		else if (*c == '&')
			fputs("&amp;", out);
		else
			fputc(*c, out);
	}
	free(text);
}

void html_write_report(const struct report *report)
{
	json_t *root = page_data(report);
	const char *command = json_string_value(json_object_get(root, "command"));
	FILE *out = report->out;

	fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>itrace ",
	      out);
	write_escaped(out, command);
	fputs("</title>\n<style>\n", out);
	fwrite(page_css, 1, sizeof(page_css), out);
	fputs("</style>\n</head>\n<body>\n<header class=\"bar\"><b>itrace</b> <code>", out);
	write_escaped(out, command);
	fputs("</code><nav aria-label=\"sections\"></nav></header>\n"
	      "<main><noscript><p>A script draws this page, and the browser does not run it.</p></noscript></main>\n"
	      "<script type=\"application/json\" id=\"data\">",
	      out);
	json_dump_callback(root, write_in_script, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
	fputs("</script>\n<script>\n", out);
	fwrite(page_js, 1, sizeof(page_js), out);
	fputs("</script>\n</body>\n</html>\n", out);
	json_decref(root);
}
