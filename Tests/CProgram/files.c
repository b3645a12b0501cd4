// Files of a bundle, without waiting.

#include "program.h"

void test_files(const struct places *places, ob_client *client) {
    CHECK(ob_resolve(client, url_of(places, "/shop/none.js")) == NULL);
    CHECK(ob_resolve(client, "not a URL") == NULL);
    CHECK(ob_resolve(client, "\xff") == NULL);
    CHECK(ob_covers(client, url_of(places, "/shop/none.js")));
    CHECK(!ob_covers(client, "https://elsewhere.example/"));

    ob_resource *resource = ob_resolve(client, url_of(places, "/shop/?query#fragment"));
    CHECK(resource != NULL);
    CHECK(strcmp(ob_resource_media_type(resource), "text/html; charset=utf-8") == 0);
    CHECK(strcmp(ob_resource_path(resource), "index.html") == 0);
    CHECK(strcmp(ob_resource_bundle(resource), "shop") == 0);
    CHECK(strcmp(ob_resource_version(resource), "1.1.0") == 0);
    CHECK(strlen(ob_resource_digest(resource)) == 64);
    CHECK(ob_resource_digest(resource) == ob_resource_digest(resource));

    size_t length = 0;
    const char *bytes = ob_resource_bytes(resource, &length);
    CHECK(length > 100 && memcmp(bytes, "<!", 2) == 0);
    CHECK(!ob_resource_has_faulted(resource));

    ob_error *error = NULL;
    char *copy = malloc(length + 1);
    size_t count = 0;
    SUCCEEDS(ob_resource_read(resource, 0, copy, length + 1, &count, &error), error);
    CHECK(count == length && memcmp(copy, bytes, length) == 0);
    SUCCEEDS(ob_resource_read(resource, 10, copy, 5, &count, &error), error);
    CHECK(count == 5 && memcmp(copy, bytes + 10, 5) == 0);
    SUCCEEDS(ob_resource_read(resource, length, copy, 5, &count, &error), error);
    CHECK(count == 0);
    SUCCEEDS(ob_resource_read(resource, UINT64_MAX, NULL, SIZE_MAX, &count, &error), error);
    CHECK(count == 0);
    free(copy);

    ob_resource *again = ob_resource_retain(resource);
    ob_resource_release(resource);
    CHECK(memcmp(ob_resource_bytes(again, &length), "<!", 2) == 0);
    ob_resource_release(again);
    printf("files: %zu bytes\n", length);
}
