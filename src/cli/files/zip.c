/* zip.c - reading the members of a zip that lies in memory (PKWARE's APPNOTE, 6.3).
 *
 *     member ...   a local header, then the packed bytes
 *     entry ...    the central directory: a member's name, sizes and where it lies
 *     [end64, locator64]   when a number does not fit in 16 or 32 bits
 *     end          where the directory is; a comment may follow
 *
 * Numbers have their little end first.  A number that is all ones stands for one in a wider place.
 */
#include "zip.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "files.h"

enum { LOCAL = 0x04034b50, ENTRY = 0x02014b50, END = 0x06054b50, END64 = 0x06064b50, LOCATOR64 = 0x07064b50 };
enum { LOCAL_BYTES = 30, ENTRY_BYTES = 46, END_BYTES = 22, END64_BYTES = 56, LOCATOR64_BYTES = 20 };
static const uint32_t wider = 0xFFFFFFFF;

static uint64_t number(const uint8_t *p, int bytes)
{
	uint64_t x = 0;
	while (bytes--) x = x << 8 | p[bytes];
	return x;
}

/* Whether the block `mark` of `bytes` lies at `at`. */
static bool has_block(const Zip *z, uint64_t at, uint32_t mark, size_t bytes)
{
	return at <= z->n && z->n - at >= bytes && number(z->data + at, 4) == mark;
}

/* The end of a zip is found from behind: its comment reaches to the end of the file. */
static bool find_end(const Zip *z, size_t *at)
{
	if (z->n < END_BYTES) return false;
	for (size_t comment = 0; comment <= 0xFFFF && comment <= z->n - END_BYTES; comment++) {
		*at = z->n - END_BYTES - comment;
		if (has_block(z, *at, END, END_BYTES) && number(z->data + *at + 20, 2) == comment)
			return true;
	}
	return false;
}

bool zip_open(Zip *z, const uint8_t *data, size_t n, char *error, size_t room)
{
	size_t at;
	*z = (Zip){.data = data, .n = n, .error = error, .room = room};
	if (!find_end(z, &at)) return file_fail(error, room, "not a .npz file, or the end of it is missing");
	const uint8_t *end = data + at;
	uint64_t count = number(end + 10, 2), bytes = number(end + 12, 4), start = number(end + 16, 4);
	if (at >= LOCATOR64_BYTES && has_block(z, at - LOCATOR64_BYTES, LOCATOR64, LOCATOR64_BYTES)) {
		uint64_t at64 = number(end - LOCATOR64_BYTES + 8, 8);
		if (!has_block(z, at64, END64, END64_BYTES))
			return file_fail(error, room, "the zip's 64-bit end is not where it says");
		count = number(data + at64 + 32, 8);
		bytes = number(data + at64 + 40, 8);
		start = number(data + at64 + 48, 8);
	}
	if (start > at || bytes > at - start || count > bytes / ENTRY_BYTES)
		return file_fail(error, room, "the zip's list of members is not where it says");
	z->at = (size_t)start;
	z->end = (size_t)(start + bytes);
	z->left = count;
	return true;
}

/* Replaces the fields that are all ones by those of the extra block 1: just these, in this order. */
static bool widen(const uint8_t *extra, size_t n, ZipMember *m)
{
	uint64_t *field[] = {&m->bytes, &m->packed, &m->offset};
	if (m->bytes != wider && m->packed != wider && m->offset != wider) return true;
	while (n >= 4) {
		size_t length = (size_t)number(extra + 2, 2);
		bool found = number(extra, 2) == 1;
		extra += 4;
		n -= 4;
		if (length > n) return false;
		for (int i = 0; found && i < 3; i++) {
			if (*field[i] != wider) continue;
			if (length < 8) return false;
			*field[i] = number(extra, 8);
			extra += 8;
			length -= 8;
			n -= 8;
		}
		if (found) return true;
		extra += length;
		n -= length;
	}
	return false;
}

bool zip_next(Zip *z, ZipMember *m)
{
	const uint8_t *p = z->data + z->at;
	if (z->end - z->at < ENTRY_BYTES || number(p, 4) != ENTRY)
		return file_fail(z->error, z->room, "the zip's list of members is damaged");
	*m = (ZipMember){.name = (const char *)p + ENTRY_BYTES,
		.name_bytes = (size_t)number(p + 28, 2),
		.packed = number(p + 20, 4),
		.bytes = number(p + 24, 4),
		.offset = number(p + 42, 4),
		.crc = (uint32_t)number(p + 16, 4),
		.method = (unsigned)number(p + 10, 2),
		.flags = (unsigned)number(p + 8, 2)};
	size_t extra = (size_t)number(p + 30, 2), comment = (size_t)number(p + 32, 2);
	if (m->name_bytes + extra + comment > z->end - z->at - ENTRY_BYTES)
		return file_fail(z->error, z->room, "the zip's list of members is damaged");
	if (!widen(p + ENTRY_BYTES + m->name_bytes, extra, m))
		return file_fail(z->error, z->room, "a 64-bit size in the zip's list of members is missing");
	z->at += ENTRY_BYTES + m->name_bytes + extra + comment;
	z->left--;
	return true;
}

/* Inflates; false unless the packed bytes give exactly n.  zlib counts in unsigned int, so in pieces. */
static bool inflate_all(const uint8_t *packed, size_t packed_bytes, uint8_t *to, size_t n)
{
	z_stream s = {0};
	int state = Z_OK;
	uint8_t beyond; /* zlib wants somewhere to write even when nothing is left */
	if (inflateInit2(&s, -MAX_WBITS) != Z_OK) return false;
	s.next_in = (Bytef *)packed;
	s.next_out = to;
	while (state == Z_OK) {
		size_t in = packed_bytes - (size_t)(s.next_in - packed), out = n - s.total_out;
		s.avail_in = in < UINT_MAX ? (uInt)in : UINT_MAX;
		s.avail_out = out < UINT_MAX ? (uInt)out : UINT_MAX;
		if (!out) {
			s.next_out = &beyond;
			s.avail_out = 1;
		}
		state = inflate(&s, Z_NO_FLUSH);
		if (s.total_out > n) break;
	}
	bool good = state == Z_STREAM_END && s.total_out == n && s.total_in == packed_bytes;
	inflateEnd(&s);
	return good;
}

uint8_t *zip_unpack(Zip *z, const ZipMember *m)
{
	const char *why = NULL;
	bool there = has_block(z, m->offset, LOCAL, LOCAL_BYTES);
	const uint8_t *local = there ? z->data + m->offset : NULL;
	size_t room = there ? z->n - (size_t)m->offset : 0; /* from the local header to the end of the file */
	size_t start = there ? LOCAL_BYTES + (size_t)(number(local + 26, 2) + number(local + 28, 2)) : 0;
	uint8_t *to = NULL;
	if (!there) {
		why = "is not where the zip's list of members says";
	} else if (start > room || m->packed > room - start) {
		why = "goes past the end of the file";
	} else if (m->flags & 1) {
		why = "is encrypted";
	} else if (m->method != 0 && m->method != 8) {
		why = "is packed in a way other than deflate";
	} else if (m->method == 0 ? m->bytes != m->packed : m->bytes / 1032 > m->packed) {
		why = "is not as long as it says"; /* deflate packs at most 1032 times */
	} else if (!(to = malloc((size_t)m->bytes + 1))) {
		why = "does not fit in memory";
	} else {
		const uint8_t *packed = local + start;
		if (m->method == 0)
			memcpy(to, packed, (size_t)m->bytes);
		else if (!inflate_all(packed, (size_t)m->packed, to, (size_t)m->bytes))
			why = "does not unpack";
		if (!why && crc32_z(0, to, (size_t)m->bytes) != m->crc)
			why = "is damaged: its checksum differs";
	}
	if (!why) return to;
	free(to);
	file_fail(z->error, z->room, "this member of the zip %s", why);
	return NULL;
}
