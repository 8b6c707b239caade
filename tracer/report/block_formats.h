/* The interface between block.c and the writers of blocks. Private to report/. */
#ifndef ITRACE_REPORT_BLOCK_FORMATS_H
#define ITRACE_REPORT_BLOCK_FORMATS_H

#include "report/block.h"

const char *block_mode_name(enum pipeline_mode mode);
const char *block_part_name(enum pipeline_part part);

void text_block_write(struct block_writer *writer, const struct block_report *report);
void text_block_end(struct block_writer *writer);
void json_block_begin(struct block_writer *writer);
void json_block_write(struct block_writer *writer, const struct block_report *report);
void json_block_end(struct block_writer *writer);
void csv_block_begin(struct block_writer *writer);
void csv_block_write(struct block_writer *writer, const struct block_report *report);

#endif
