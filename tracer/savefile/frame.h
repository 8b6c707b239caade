/* The frame of a saved run: magic, version and the content compressed by zstd. Private to savefile/ and its tests. */
#ifndef ITRACE_SAVEFILE_FRAME_H
#define ITRACE_SAVEFILE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define FRAME_MAGIC "\x89ITRACE"
#define FRAME_MAGIC_BYTES 7
#define FRAME_VERSION 3 /* the byte after the magic; FORMAT.md lists the versions */

/* No run reaches these sizes. They keep a damaged file from exhausting the memory. */
#define FRAME_MAX_FILE_BYTES ((size_t)256 << 20)
#define FRAME_MAX_CONTENT_BYTES ((size_t)1 << 30)

/* Packs content into the bytes of a file, or unpacks the content. The caller frees the result. `path` is for error
 * messages. Returns NULL and sets *err on failure. */
uint8_t *frame_pack(const uint8_t *content, size_t n_content, const char *path, size_t *n_bytes, struct error *err);
uint8_t *frame_unpack(const uint8_t *bytes, size_t n_bytes, const char *path, size_t *n_content, struct error *err);

/* Sets an ERROR_FORMAT that advises to record a damaged file again. Returns false. */
bool frame_error(const char *path, const char *problem, struct error *err);

#endif
