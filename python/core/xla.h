/* xla.h - what of XLA's foreign function interface (its C ABI, version 0) a handler on the CPU reads: written here with
 * names of our own, so that nothing of XLA's is needed to build. */
#ifndef XLA_H
#define XLA_H

#include <stddef.h>
#include <stdint.h>

typedef struct XlaExtension {
	size_t size;
	int type;                                /* XLA_METADATA: XLA asks what the handler is, and calls nothing */
	struct XlaExtension *next;
} XlaExtension;
enum { XLA_METADATA = 1, XLA_EXECUTE = 3, XLA_SCALAR = 3, XLA_S64 = 5, XLA_INVALID_ARGUMENT = 3 };

typedef struct XlaVersion {
	size_t size;
	XlaExtension *extension;
	int major, minor;
} XlaVersion;

typedef struct XlaMetadata {
	size_t size;
	XlaVersion version;
	uint32_t traits;
} XlaMetadata;

typedef struct XlaAsked {
	XlaExtension base;
	XlaMetadata *metadata;
} XlaAsked;

typedef struct XlaError XlaError;
typedef struct XlaErrorArgs {
	size_t size;
	XlaExtension *extension;
	const char *message;
	int code;
} XlaErrorArgs;

typedef struct XlaApi {
	size_t size;
	XlaExtension *extension;
	XlaVersion version;
	const void *internal;
	XlaError *(*error)(XlaErrorArgs *);
} XlaApi;

typedef struct XlaBuffer {
	size_t size;
	XlaExtension *extension;
	int dtype;
	void *data;
	int64_t rank, *dims;
} XlaBuffer;

typedef struct XlaList {                         /* of arguments, and of results */
	size_t size;
	XlaExtension *extension;
	int64_t n;
	int *type;
	XlaBuffer **buffer;
} XlaList;

typedef struct XlaName {
	const char *text;
	size_t n;
} XlaName;

typedef struct XlaScalar {
	int dtype;
	void *value;
} XlaScalar;

typedef struct XlaAttributes {
	size_t size;
	XlaExtension *extension;
	int64_t n;
	int *type;
	XlaName **name;
	void **value;
} XlaAttributes;

typedef struct XlaCall {
	size_t size;
	XlaExtension *extension;
	const XlaApi *api;
	void *context;
	int stage;
	XlaList args, results;
	XlaAttributes attributes;
} XlaCall;

#endif
