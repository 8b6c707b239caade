#include "cli/tracing/trace_output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/output.h"
#include "report/report.h"
#include "source/symbolize.h"

struct trace_output {
	const char *path; /* NULL: stderr */
	FILE *file;	  /* what `out` writes to */
	FILE *out;
	uint64_t limit, n_insns; /* instructions to write at most (0: no limit), and written so far */
	int errno_value;	 /* of the write that failed; 0: none */
};

/* Repeats interrupted writes: the C library drops the buffer of a stream if a signal, such as those of the engine's
 * timer, interrupts a write. */
static ssize_t write_all(void *cookie, const char *bytes, size_t n_bytes)
{
	struct trace_output *output = cookie;

	for (size_t at = 0; at < n_bytes && !output->errno_value;) {
		ssize_t n = write(fileno(output->file), bytes + at, n_bytes - at);

		if (n >= 0)
			at += (size_t)n;
		else if (errno != EINTR)
			output->errno_value = errno;
	}
	return output->errno_value ? 0 : (ssize_t)n_bytes;
}

struct trace_output *trace_output_create(const char *path, uint64_t limit, struct error *err)
{
	FILE *file = path ? output_open(path, err) : stderr;
	struct trace_output *output;

	if (!file)
		return NULL;
	output = xcalloc(1, sizeof(*output));
	*output = (struct trace_output){.path = path, .file = file, .limit = limit};
	output->out = fopencookie(output, "w", (cookie_io_functions_t){.write = write_all});
	/* Line buffering keeps the trace in order with the program's own messages. */
	if (!path)
		setvbuf(output->out, NULL, _IOLBF, BUFSIZ);
	return output;
}

void trace_output_destroy(struct trace_output *output)
{
	if (!output)
		return;
	fclose(output->out);
	if (output->path)
		fclose(output->file);
	free(output);
}

bool trace_output_is_stderr(const struct trace_output *output)
{
	return output && !output->path;
}

/* "SYMBOL+0xOFFSET" for the target of a direct jump or call, or NULL. Code jumps directly only within its module. */
static char *find_target(const struct profile *profile, struct source *source, const struct profile_insn *insn)
{
	const struct profile_module *module;
	struct insn decoded;
	const char *name;
	uint64_t offset;

	if (insn->module == PROFILE_NONE || !insn_decode(insn->bytes, insn->length, &decoded) ||
	    (decoded.flow != FLOW_BRANCH && decoded.flow != FLOW_JUMP && decoded.flow != FLOW_CALL))
		return NULL;
	module = &profile->modules[insn->module];
	name = source_find_function(source, module->path,
				    insn->va + insn->length + (uint64_t)decoded.displacement - module->bias, &offset);
	if (!name)
		return NULL;
	return offset ? xasprintf("%s+0x%" PRIx64, name, offset) : xstrdup(name);
}

static void write_insn(const struct trace_output *output, struct profile *profile, struct source *source, uint32_t insn)
{
	char *target;

	symbolize_insn(profile, source, insn);
	target = find_target(profile, source, &profile->insns[insn]);
	report_write_trace_line(output->out, profile, insn, target);
	free(target);
}

static void write_boundary(const struct trace_output *output, const struct profile *profile,
			   const struct trace_event *event)
{
	const char *name = profile->regions[event->index].name;
	char *shown = escape_text(name[0] ? name : "(unnamed)", ESCAPE_FOR_TERMINAL);

	fprintf(output->out, "-- %s %s\n", event->kind == TRACE_BEGIN ? "begin" : "end", shown);
	free(shown);
}

bool trace_output_write(struct trace_output *output, struct profile *profile, struct source *source,
			const struct trace_event *event)
{
	if (output->limit && output->n_insns > output->limit)
		return true;
	if (event->kind == TRACE_INSN && output->n_insns++ == output->limit && output->limit) {
		fprintf(output->out, "-- end of the trace: --trace-limit %" PRIu64 "\n", output->limit);
		fflush(output->out);
		return !output->errno_value;
	}
	fprintf(output->out, "%" PRId32 "/%" PRId32 "  ", profile->pid, event->tid);
	if (event->kind == TRACE_INSN)
		write_insn(output, profile, source, event->index);
	else
		write_boundary(output, profile, event);
	return !output->errno_value;
}

bool trace_output_finish(struct trace_output *output, struct error *err)
{
	fflush(output->out);
	if (!output->errno_value || output->errno_value == EPIPE)
		return true;
	errno = output->errno_value;
	return error_set_errno(err, ERROR_ENVIRONMENT, "cannot write the trace to '%s'",
			       output->path ? output->path : "stderr");
}
