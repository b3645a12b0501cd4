// Several threads on one client, while the active version changes.

#include "program.h"
#include <pthread.h>

enum { thread_count = 4, round_count = 200, change_count = 10 };

struct work {
    const struct places *places;
    ob_client *client;
};

static void *work_on(void *argument) {
    const struct work *work = argument;
    const ob_request request = OB_REQUEST_INIT(url_of(work->places, "/shop/index.html"));
    for (int round = 0; round < round_count; round += 1) {
        ob_resource *resource = ob_resolve(work->client, request.url);
        CHECK(resource != NULL);
        size_t length = 0;
        CHECK(memcmp(ob_resource_bytes(resource, &length), "<!", 2) == 0);
        CHECK(strcmp(ob_resource_path(resource), "index.html") == 0);
        ob_resource_free(resource);
        ob_response *response = NULL;
        CHECK(ob_begin(work->client, &request, &response, NULL) == OB_OK && response != NULL);
        CHECK(ob_response_status(response) == 200 && ob_response_field(response, "ETag") != NULL);
        ob_response_free(response);
        if (round % 20 != 0) continue;
        response = ob_load(work->client, &request, 0, NULL);
        CHECK(response != NULL && ob_response_status(response) == 200);
        ob_response_free(response);
        ob_report_free(ob_bundles(work->client));
    }
    return NULL;
}

void test_threads(const struct places *places, ob_client *client) {
    struct work work = {places, client};
    pthread_t threads[thread_count];
    for (int index = 0; index < thread_count; index += 1) {
        CHECK(pthread_create(&threads[index], NULL, work_on, &work) == 0);
    }
    for (int change = 0; change < change_count; change += 1) {
        CHECK(ob_activate(client, "shop", change % 2 == 0 ? "1.0.0" : "1.1.0", NULL) == OB_OK);
    }
    for (int index = 0; index < thread_count; index += 1) pthread_join(threads[index], NULL);
    printf("threads: %d\n", thread_count);
}
