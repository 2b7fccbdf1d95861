/* zip.h - reading the members of a zip that lies in memory. */
#ifndef PORISM_CLI_ZIP_H
#define PORISM_CLI_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Zip {
	const uint8_t *data;
	size_t n;
	size_t at, end;                  /* the part of the list of members that is still to be read */
	uint64_t left;                   /* members in it */
	char *error;
	size_t room;
} Zip;

typedef struct ZipMember {
	const char *name;                /* not ended by a 0; any bytes */
	size_t name_bytes;
	uint64_t packed, bytes, offset;
	uint32_t crc;
	unsigned method, flags;
} ZipMember;

/* Finds the list of members.  Errors go to `error` now and in later calls. */
bool zip_open(Zip *, const uint8_t *data, size_t n, char *error, size_t room);
bool zip_next(Zip *, ZipMember *);                      /* the next member; wants left > 0 */

/* The member's bytes, from malloc, checked against its length and checksum.  NULL on failure. */
uint8_t *zip_unpack(Zip *, const ZipMember *);

#endif
