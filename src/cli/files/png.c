/* png.c - pictures of bytes, by libpng. */
#include "files.h"

#include <png.h>
#include <stdlib.h>

bool png_write(const char *path, const Pixels *p, char *error, size_t room)
{
	size_t width = p->width, height = p->height;
	png_image image = {.version = PNG_IMAGE_VERSION};
	png_alloc_size_t bytes = 0;
	Output o;
	if (p->channels != 1 && p->channels != 3)
		return file_fail(
			error, room, "%s: a picture of %d channels; 1 or 3 were wanted", path, p->channels);
	if (!width || !height || width > 1 << 20 || height > 1 << 20)
		return file_fail(error, room, "%s: a picture of %zu by %zu; 1 to 1048576 each way was wanted",
			path, width, height);
	image.width = (png_uint_32)width;
	image.height = (png_uint_32)height;
	image.format = p->channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
	if (!png_image_write_get_memory_size(image, bytes, 0, p->pixels, 0, NULL))
		return file_fail(error, room, "%s: cannot be made: %s", path, image.message);
	void *data = malloc(bytes);
	if (!data)
		return file_fail(
			error, room, "%s: no memory for a picture of %zu bytes", path, (size_t)bytes);
	bool good = png_image_write_to_memory(&image, data, &bytes, 0, p->pixels, 0, NULL);
	if (!good) file_fail(error, room, "%s: cannot be made: %s", path, image.message);
	good = good && output_open(&o, path, error, room);
	if (good) output_write(&o, data, bytes);
	free(data);
	return good && output_close(&o, error, room);
}
