// Files of a bundle, without waiting.

#include "program.h"
#include <dirent.h>
#include <limits.h>
#include <unistd.h>

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
    ob_resource_free(resource);
    CHECK(memcmp(ob_resource_bytes(again, &length), "<!", 2) == 0);
    ob_resource_free(again);
    printf("files: %zu bytes\n", length);
}

// Cuts the files in a folder, as a failing disk or another program might.
static void truncate_files(const char *folder) {
    DIR *files = opendir(folder);
    CHECK(files != NULL);
    int count = 0;
    for (struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        char path[PATH_MAX];
        if (file->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        CHECK(truncate(path, 0) == 0);
        count += 1;
    }
    closedir(files);
    CHECK(count > 0);
}

void test_damage(const struct places *places) {
    char store[PATH_MAX], segments[PATH_MAX];
    snprintf(store, sizeof store, "%s-damaged", places->store);
    ob_client *client = ob_open(store, NULL, NULL);
    CHECK(client != NULL && ob_seed(client, places->first, NULL, NULL) == OB_OK);
    const ob_request request = OB_REQUEST_INIT(url_of(places, "/shop/index.html"));
    ob_resource *resource = ob_resolve(client, request.url);
    ob_response *response = ob_load(client, &request, 0, NULL);
    CHECK(resource != NULL && response != NULL);
    CHECK(snprintf(segments, sizeof segments, "%s/segments", store) < PATH_MAX);
    truncate_files(segments);

    size_t length = 0, count = 1;
    char buffer[16];
    ob_error *error = NULL;
    CHECK(ob_resource_read(resource, 0, buffer, sizeof buffer, &count, &error) == OB_STORE_DAMAGED && count == 0);
    expect_error(error, OB_STORE_DAMAGED, "storeDamaged");
    CHECK(ob_resource_has_faulted(resource));
    const char *bytes = ob_response_body(response, &length);
    CHECK(length > 0 && bytes[0] == 0 && ob_response_has_faulted(response));
    ob_resource_free(resource);
    ob_response_free(response);
    ob_close(client);
    printf("damage: %zu bytes lost\n", length);
}
