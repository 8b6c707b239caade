/* Serializes source files, inlined calls and locations. */
#include <stdlib.h>

#include "base/array.h"
#include "savefile/content.h"

/* Limit of the nesting of inlined calls, far above that of compilers. A report walks up from each instruction. */
#define MAX_INLINED_DEPTH 256

static void serialize_file(struct io *io, struct profile_file *file)
{
	IO_TEXT(io, COLUMN_FILES, file->path);
	IO_UINT(io, COLUMN_FILES, file->text_hash, UINT64_MAX);
	IO_UINT(io, COLUMN_FILES, file->is_newer, 1);
}

static void serialize_inlined(struct io *io, const struct profile *profile, size_t i)
{
	struct profile_inlined *call = &profile->inlined[i];

	IO_VALID_INDEX(io, COLUMN_INLINED_FUNCTION, call->function, PROFILE_NONE, profile->n_functions);
	IO_INDEX(io, COLUMN_INLINED_CALLER, call->caller, (uint32_t)i, i);
	IO_INDEX(io, COLUMN_INLINED_FILE, call->file, PROFILE_NONE, profile->n_files);
	IO_DIFFERENCE(io, COLUMN_INLINED_LINE, call->line, i > 0 ? call[-1].line : 0);
	IO_UINT(io, COLUMN_INLINED_COLUMN, call->column, UINT32_MAX);
}

static void check_depths(struct io *io, const struct profile *profile)
{
	uint16_t *depths;

	if (!io->is_reading || io->problem || !io_charge(io, profile->n_inlined, sizeof(*depths)))
		return;
	depths = xcalloc(profile->n_inlined, sizeof(*depths));
	for (size_t i = 0; i < profile->n_inlined && !io->problem; i++) {
		uint32_t caller = profile->inlined[i].caller;

		depths[i] = caller == PROFILE_NONE ? 1 : (uint16_t)(depths[caller] + 1);
		io_require(io, depths[i] <= MAX_INLINED_DEPTH, "inlined calls are nested too deep");
	}
	free(depths);
}

static void serialize_location(struct io *io, const struct profile *profile, size_t i)
{
	static const struct profile_location unknown = {.file = PROFILE_NONE, .inlined = PROFILE_NONE};
	struct profile_location *location = &profile->locations[i];
	const struct profile_location *before = i > 0 ? location - 1 : &unknown;

	IO_INDEX(io, COLUMN_LOCATION_FILE, location->file, before->file, profile->n_files);
	IO_DIFFERENCE(io, COLUMN_LOCATION_LINE, location->line, before->line);
	IO_UINT(io, COLUMN_LOCATION_COLUMN, location->column, UINT32_MAX);
	IO_INDEX(io, COLUMN_LOCATION_INLINED, location->inlined, before->inlined, profile->n_inlined);
	io_require(io, i > 0 || memcmp(location, &unknown, sizeof(unknown)) == 0,
		   "the first location is not the unknown one");
}

void content_serialize_sources(struct io *io, struct profile *profile)
{
	IO_ROWS(io, COLUMN_FILES, profile, files);
	for (size_t i = 0; i < profile->n_files && !io->problem; i++)
		serialize_file(io, &profile->files[i]);
	IO_ROWS(io, COLUMN_INLINED_FUNCTION, profile, inlined);
	for (size_t i = 0; i < profile->n_inlined && !io->problem; i++)
		serialize_inlined(io, profile, i);
	check_depths(io, profile);
	IO_ROWS(io, COLUMN_LOCATION_FILE, profile, locations);
	io_require(io, profile->n_locations > 0, "the first location is not the unknown one");
	for (size_t i = 0; i < profile->n_locations && !io->problem; i++)
		serialize_location(io, profile, i);
}
