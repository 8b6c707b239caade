#include "report/block.h"

#include "report/block_formats.h"

static const struct {
	void (*begin)(struct block_writer *writer); /* or NULL */
	void (*write)(struct block_writer *writer, const struct block_report *report);
	void (*end)(struct block_writer *writer); /* or NULL */
} formats[] = {
	[REPORT_TEXT] = {NULL, text_block_write, text_block_end},
	[REPORT_JSON] = {json_block_begin, json_block_write, json_block_end},
	[REPORT_CSV] = {csv_block_begin, csv_block_write, NULL},
};

const char *block_mode_name(enum pipeline_mode mode)
{
	return mode == PIPELINE_LOOP ? "loop" : "unrolled";
}

const char *block_part_name(enum pipeline_part part)
{
	static const char *const names[] = {
		[PART_LOAD] = "load", [PART_OPERATION] = "operation", [PART_STORE] = "store"};

	return names[part];
}

void report_block_begin(struct block_writer *writer)
{
	if (formats[writer->format].begin)
		formats[writer->format].begin(writer);
}

void report_block_write(struct block_writer *writer, const struct block_report *report)
{
	formats[writer->format].write(writer, report);
	writer->n_written++;
}

void report_block_end(struct block_writer *writer)
{
	if (formats[writer->format].end)
		formats[writer->format].end(writer);
}
