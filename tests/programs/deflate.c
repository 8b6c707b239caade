/* The demo: compresses the beginning of a file with zlib and checks that it comes back.
 *
 *     deflate FILE [BYTES]        BYTES: how much of the file; 512 without it, seconds to trace; 0: all of it
 *
 * Only the compression is in region "deflate", only the decompression in "inflate". Exit status 0 when the text came
 * back.
 *
 * ANSWER
 *   args {text}
 *   region deflate: visits 1, cut 0, instructions >= 20000
 *   region inflate: visits 1, cut 0, instructions >= 5000
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <itrace/markers.h>

#define DEFAULT_BYTES 512
#define MOST_BYTES (64u << 20)

static unsigned char *read_file(const char *path, size_t most_bytes, size_t *size_bytes)
{
	FILE *file = fopen(path, "rb");
	if (!file) {
		perror(path);
		return NULL;
	}
	unsigned char *bytes = malloc(most_bytes);
	*size_bytes = bytes ? fread(bytes, 1, most_bytes, file) : 0;
	if (*size_bytes == 0) {
		fprintf(stderr, "%s: empty, or cannot be read\n", path);
		free(bytes);
		bytes = NULL;
	}
	fclose(file);
	return bytes;
}

static bool compress_region(z_stream *stream)
{
	if (deflateInit(stream, Z_DEFAULT_COMPRESSION) != Z_OK)
		return false;
	PA_BEGIN("deflate");
	int result = deflate(stream, Z_FINISH);
	PA_END("deflate");
	return deflateEnd(stream) == Z_OK && result == Z_STREAM_END;
}

static bool decompress_region(z_stream *stream)
{
	if (inflateInit(stream) != Z_OK)
		return false;
	PA_BEGIN("inflate");
	int result = inflate(stream, Z_FINISH);
	PA_END("inflate");
	return inflateEnd(stream) == Z_OK && result == Z_STREAM_END;
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: deflate FILE [BYTES]\n");
		return 2;
	}
	size_t wanted_bytes = argc == 3 ? strtoul(argv[2], NULL, 0) : DEFAULT_BYTES, size_bytes;
	if (wanted_bytes == 0 || wanted_bytes > MOST_BYTES)
		wanted_bytes = MOST_BYTES;
	unsigned char *text = read_file(argv[1], wanted_bytes, &size_bytes);
	if (!text)
		return 1;

	size_t room_bytes = compressBound(size_bytes);
	unsigned char *packed = malloc(room_bytes), *unpacked = malloc(size_bytes);
	if (!packed || !unpacked) {
		fprintf(stderr, "out of memory\n");
		return 1;
	}
	z_stream in = {.next_in = text,
		       .avail_in = (uInt)size_bytes,
		       .next_out = packed,
		       .avail_out = (uInt)room_bytes};
	bool good = compress_region(&in);
	z_stream out = {.next_in = packed,
			.avail_in = (uInt)in.total_out,
			.next_out = unpacked,
			.avail_out = (uInt)size_bytes};
	good = good && decompress_region(&out) && out.total_out == size_bytes &&
	       memcmp(text, unpacked, size_bytes) == 0;

	printf("%s: %zu bytes deflated to %lu (%.1f %%), %s\n", argv[1], size_bytes, in.total_out,
	       100.0 * (double)in.total_out / (double)size_bytes,
	       good ? "and came back the same" : "NOT the same again");
	free(text);
	free(packed);
	free(unpacked);
	return good ? 0 : 1;
}
