#include "savefile/frame.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/array.h"

#define HEADER_BYTES (FRAME_MAGIC_BYTES + 1)

/* On a whole run of python3, level 19 took nine times as long and made the file 8 % smaller. */
#define LEVEL 9

bool frame_error(const char *path, const char *problem, struct error *err)
{
	return error_set(err, ERROR_FORMAT, "%.512s: damaged itrace profile: %s; record the run again", path, problem);
}

uint8_t *frame_pack(const uint8_t *content, size_t n_content, const char *path, size_t *n_bytes, struct error *err)
{
	size_t bound = ZSTD_compressBound(n_content), n_frame = 0;
	uint8_t *bytes = xcalloc(1, HEADER_BYTES + bound);
	ZSTD_CCtx *zstd = ZSTD_createCCtx();

	memcpy(bytes, FRAME_MAGIC, FRAME_MAGIC_BYTES);
	bytes[FRAME_MAGIC_BYTES] = FRAME_VERSION;
	if (!zstd || n_content > FRAME_MAX_CONTENT_BYTES ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1)) ||
	    ZSTD_isError(n_frame = ZSTD_compress2(zstd, bytes + HEADER_BYTES, bound, content, n_content)) ||
	    n_frame > FRAME_MAX_FILE_BYTES - HEADER_BYTES) {
		error_set(err, ERROR_ENVIRONMENT, "cannot save to %.512s: the profile is too large", path);
		free(bytes);
		bytes = NULL;
	}
	ZSTD_freeCCtx(zstd);
	*n_bytes = HEADER_BYTES + n_frame;
	return bytes;
}

static bool check_header(const uint8_t *bytes, size_t n_bytes, const char *path, struct error *err)
{
	size_t n_compared = n_bytes < FRAME_MAGIC_BYTES ? n_bytes : FRAME_MAGIC_BYTES;
	unsigned version;

	if (n_bytes == 0 || memcmp(bytes, FRAME_MAGIC, n_compared) != 0)
		return error_set(err, ERROR_FORMAT, "%.512s: not an itrace profile; create one with 'itrace record'",
				 path);
	if (n_bytes < HEADER_BYTES)
		return frame_error(path, "it is cut short", err);
	version = bytes[FRAME_MAGIC_BYTES];
	if (version > FRAME_VERSION)
		return error_set(
			err, ERROR_FORMAT,
			"%.512s was saved by a newer itrace, in version %u of the format, and this one reads version "
			"%d; update itrace, or record the run again with this one",
			path, version, FRAME_VERSION);
	if (version < FRAME_VERSION)
		return error_set(
			err, ERROR_FORMAT,
			"%.512s was saved by an older itrace, in version %u of the format, and this one reads version "
			"%d; record it again with 'itrace record'",
			path, version, FRAME_VERSION);
	return true;
}

/* Sizes are checked before decompression, so that they limit the memory. */
static const char *check_sizes(const uint8_t *frame, size_t n_frame, size_t *n_content)
{
	unsigned long long n = ZSTD_getFrameContentSize(frame, n_frame);
	size_t n_used = ZSTD_findFrameCompressedSize(frame, n_frame);

	if (n == ZSTD_CONTENTSIZE_ERROR || n == ZSTD_CONTENTSIZE_UNKNOWN || ZSTD_isError(n_used))
		return "it is cut short or has changed since it was written";
	if (n_used < n_frame)
		return "bytes follow its end";
	if (n > FRAME_MAX_CONTENT_BYTES)
		return "it needs too much memory";
	*n_content = n;
	return NULL;
}

uint8_t *frame_unpack(const uint8_t *bytes, size_t n_bytes, const char *path, size_t *n_content, struct error *err)
{
	const uint8_t *frame = bytes + HEADER_BYTES;
	const char *problem;
	uint8_t *content;

	if (!check_header(bytes, n_bytes, path, err))
		return NULL;
	problem = check_sizes(frame, n_bytes - HEADER_BYTES, n_content);
	if (problem) {
		frame_error(path, problem, err);
		return NULL;
	}
	content = xcalloc(1, *n_content);
	if (ZSTD_decompress(content, *n_content, frame, n_bytes - HEADER_BYTES) == *n_content)
		return content;
	frame_error(path, "it is cut short or has changed since it was written", err);
	free(content);
	return NULL;
}
