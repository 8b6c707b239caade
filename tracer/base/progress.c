#include "base/progress.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/units.h"

#define FIRST_SHOWN_NS 1000000000u
#define INTERVAL_NS 100000000u

/* The name of a region is cut after this many bytes. The terminal cannot rewrite a line that wraps. With 16 bytes the
 * line fits 80 columns up to a day and a billion instructions. */
#define MAX_NAME_BYTES 16

void progress_init(struct progress *progress, FILE *out)
{
	*progress = (struct progress){.out = isatty(fileno(out)) ? out : NULL};
}

void progress_format(const char *region, uint64_t instructions, uint64_t elapsed_ns, char *text, size_t n_bytes)
{
	char *name = escape_text(region, ESCAPE_FOR_TERMINAL);
	size_t shown = 0;

	while (name[shown] && shown < MAX_NAME_BYTES)
		shown++;
	while (shown > 0 && ((unsigned char)name[shown] & 0xc0) == 0x80)
		shown--;
	snprintf(text, n_bytes, "itrace: %s instructions in %.*s%s, %s/s, %s s", units_count(instructions).text,
		 (int)shown, name, name[shown] ? "..." : "", units_rate(instructions, elapsed_ns).text,
		 units_count(elapsed_ns / 1000000000).text);
	free(name);
}

static bool is_due(const struct progress *progress, uint64_t elapsed_ns)
{
	return progress->out && elapsed_ns >= FIRST_SHOWN_NS && elapsed_ns - progress->shown_ns >= INTERVAL_NS;
}

static void show(struct progress *progress, const char *text, uint64_t elapsed_ns)
{
	fprintf(progress->out, "\r%s\033[K", text);
	fflush(progress->out);
	progress->shown_ns = elapsed_ns;
	progress->is_shown = true;
}

void progress_update(struct progress *progress, const char *region, uint64_t instructions, uint64_t elapsed_ns)
{
	char text[128];

	if (!is_due(progress, elapsed_ns))
		return;
	progress_format(region, instructions, elapsed_ns, text, sizeof(text));
	show(progress, text, elapsed_ns);
}

void progress_update_part(struct progress *progress, const char *things, uint64_t done, uint64_t total,
			  uint64_t elapsed_ns)
{
	char text[256];

	if (!is_due(progress, elapsed_ns) || !done)
		return;
	snprintf(text, sizeof(text), "itrace: %s of %s %s, %s s left", units_count(done).text, units_count(total).text,
		 things,
		 units_count((uint64_t)((double)elapsed_ns / (double)done * (double)(total - done) / 1e9)).text);
	show(progress, text, elapsed_ns);
}

void progress_end(struct progress *progress)
{
	if (!progress->is_shown)
		return;
	fputs("\r\033[K", progress->out);
	fflush(progress->out);
	progress->is_shown = false;
}
