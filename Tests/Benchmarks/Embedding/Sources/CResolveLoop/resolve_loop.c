#include "resolve_loop.h"

#include <offline_bundles.h>

void *resolve_loop_open(const char *path) { return ob_open(path, NULL, NULL); }

size_t resolve_loop_run(void *client, const char *const *urls, size_t count) {
    size_t found = 0;
    for (size_t index = 0; index < count; index += 1) {
        ob_resource *file = ob_resolve(client, urls[index]);
        found += file != NULL;
        ob_resource_free(file);
    }
    return found;
}

size_t resolve_loop_read(void *client, const char *const *urls, size_t count) {
    size_t sum = 0;
    for (size_t index = 0; index < count; index += 1) {
        size_t length = 0;
        ob_resource *file = ob_resolve(client, urls[index]);
        if (file == NULL) continue;
        const unsigned char *bytes = ob_resource_bytes(file, &length);
        if (length > 0) sum += bytes[0];
        ob_resource_free(file);
    }
    return sum;
}

void resolve_loop_close(void *client) { ob_close(client); }
