#ifndef RESOLVE_LOOP_H
#define RESOLVE_LOOP_H

#include <stddef.h>

/// Opens a store; NULL on failure.
void *resolve_loop_open(const char *path);

/// Resolves each URL and releases what was found. Returns how many were found.
size_t resolve_loop_run(void *client, const char *const *urls, size_t count);

/// The same for the bytes: adds the first one of each file.
size_t resolve_loop_read(void *client, const char *const *urls, size_t count);

void resolve_loop_close(void *client);

#endif
