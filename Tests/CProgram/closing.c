// Closing clients, and what outlives them.

#include "program.h"
#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

// A load whose `head` callback waits until it is let go on.
struct held_load {
    pthread_mutex_t lock;
    pthread_cond_t change;
    ob_client *closes;  // What `head` closes; NULL for nothing.
    bool has_head, may_go_on, has_ended;
    size_t length;
    ob_status status;
};

static bool hold(void *context, ob_response *response) {
    struct held_load *load = context;
    CHECK(ob_response_status(response) == 200);
    pthread_mutex_lock(&load->lock);
    load->has_head = true;
    pthread_cond_broadcast(&load->change);
    while (!load->may_go_on) pthread_cond_wait(&load->change, &load->lock);
    pthread_mutex_unlock(&load->lock);
    return true;
}

static bool count_bytes(void *context, const void *bytes, size_t length) {
    (void)bytes;
    ((struct held_load *)context)->length += length;
    return true;
}

static void note_end(void *context, const ob_error *error) {
    struct held_load *load = context;
    pthread_mutex_lock(&load->lock);
    load->has_ended = true;
    load->status = error ? ob_error_status(error) : OB_OK;
    pthread_cond_broadcast(&load->change);
    pthread_mutex_unlock(&load->lock);
}

// The end of another task lets the load go on: that task ends when the client is closed.
static void let_go_on(void *context) {
    struct held_load *load = context;
    pthread_mutex_lock(&load->lock);
    load->may_go_on = true;
    pthread_cond_broadcast(&load->change);
    pthread_mutex_unlock(&load->lock);
}

static void ignore_activation(void *context, const char *bundle, const char *version, const char *previous) {
    (void)context, (void)bundle, (void)version, (void)previous;
}

static bool close_client(void *context, ob_response *response) {
    struct held_load *load = context;
    CHECK(ob_response_status(response) == 200);
    ob_close(load->closes);
    CHECK(!load->has_ended);
    return true;
}

static void wait_for_end(struct held_load *load) {
    pthread_mutex_lock(&load->lock);
    while (!load->has_ended) pthread_cond_wait(&load->change, &load->lock);
    pthread_mutex_unlock(&load->lock);
}

void test_close(const struct places *places, ob_client *client) {
    struct held_load load = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};
    const ob_load_callbacks callbacks = {sizeof callbacks, hold, count_bytes, note_end};
    const ob_request request = OB_REQUEST_INIT(url_of(places, "/shop/index.html"));
    ob_resource *resource = ob_resolve(client, request.url);
    ob_response *response = ob_load(client, &request, 0, NULL);
    CHECK(resource != NULL && response != NULL);
    ob_task *observing = ob_observe_activations(client, ignore_activation, let_go_on, &load, NULL);
    ob_task *task = ob_load_start(client, &request, &callbacks, &load, NULL);
    CHECK(task != NULL);
    pthread_mutex_lock(&load.lock);
    while (!load.has_head) pthread_cond_wait(&load.change, &load.lock);
    pthread_mutex_unlock(&load.lock);
    ob_error *error = NULL;
    SUCCEEDS(ob_remove(client, "shop", NULL, &error), error);
    CHECK(ob_resolve(client, request.url) == NULL);
    ob_close(client);
    // Nothing has to be awaited: no callback runs any more.
    CHECK(load.may_go_on && load.has_ended && load.status == OB_STORE_UNAVAILABLE && load.length == 0);
    ob_task_free(task);
    ob_task_free(observing);

    size_t length = 0;
    CHECK(memcmp(ob_resource_bytes(resource, &length), "<!", 2) == 0);
    CHECK(memcmp(ob_response_body(response, &length), "<!", 2) == 0);
    CHECK(strcmp(ob_resource_bundle(resource), "shop") == 0);
    ob_resource_free(resource);
    ob_response_free(response);
    printf("close: %d\n", load.status);
}

// A callback may close its client. Those of its task that follow come later.
void test_close_in_callback(const struct places *places) {
    ob_client *client = ob_open(places->store, NULL, NULL);
    CHECK(client != NULL && ob_seed(client, places->first, NULL, NULL) == OB_OK);
    const ob_request request = OB_REQUEST_INIT(url_of(places, "/shop/index.html"));
    struct held_load load = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER, .closes = client};
    const ob_load_callbacks callbacks = {sizeof callbacks, close_client, count_bytes, note_end};
    ob_task *task = ob_load_start(client, &request, &callbacks, &load, NULL);
    CHECK(task != NULL);
    wait_for_end(&load);
    CHECK(load.status == OB_STORE_UNAVAILABLE && load.length == 0);
    ob_task_free(task);
    printf("close in a callback: %d\n", load.status);
}

// A response that would come after a minute is cancelled, and ends with its client, at once.
void test_waiting(const struct places *places) {
    const char *rules = "{\"rules\": [{\"match\": {\"path\": \"/slow\"}, \"mock\": {\"status\": 200, \"delay\": 60000}}]}";
    ob_options options = OB_OPTIONS_INIT;
    options.flags = OB_DEVELOPMENT;
    ob_client *client = ob_open(places->store, &options, NULL);
    CHECK(client != NULL && ob_seed(client, places->first, NULL, NULL) == OB_OK);
    CHECK(ob_set_rules(client, rules, NULL, NULL) == OB_OK);
    const ob_request request = OB_REQUEST_INIT(url_of(places, "/shop/slow"));
    struct held_load cancelled = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};
    struct held_load closed = cancelled;
    const ob_load_callbacks callbacks = {sizeof callbacks, hold, count_bytes, note_end};
    ob_task *first = ob_load_start(client, &request, &callbacks, &cancelled, NULL);
    ob_task *second = ob_load_start(client, &request, &callbacks, &closed, NULL);
    ob_task_cancel(first);
    wait_for_end(&cancelled);
    CHECK(cancelled.status == OB_CANCELLED && !cancelled.has_head);
    ob_close(client);
    CHECK(closed.has_ended);
    CHECK(closed.status == OB_STORE_UNAVAILABLE && !closed.has_head);
    ob_task_free(first);
    ob_task_free(second);
    printf("waiting: %d, %d\n", cancelled.status, closed.status);
}

// The number of open files, once it is at most `limit`, or after ten seconds.
static int open_file_count(int limit) {
    int count = 0;
    for (int attempt = 0; attempt < 1000; attempt += 1) {
        DIR *folder = opendir("/proc/self/fd");
        CHECK(folder != NULL);
        count = 0;
        while (readdir(folder) != NULL) count += 1;
        closedir(folder);
        if (count <= limit) break;
        usleep(10000);
    }
    return count;
}

static void use(const struct places *places) {
    ob_client *client = ob_open(places->store, NULL, NULL);
    const ob_request request = OB_REQUEST_INIT(url_of(places, "/shop/index.html"));
    const ob_request missing = OB_REQUEST_INIT(url_of(places, "/shop/missing"));
    CHECK(client != NULL && ob_seed(client, places->first, NULL, NULL) == OB_OK);
    ob_resource_free(ob_resolve(client, request.url));
    ob_response_free(ob_load(client, &request, 0, NULL));
    ob_response_free(ob_load(client, &missing, 0, NULL));
    ob_report_free(ob_statistics(client, NULL, NULL));
    ob_close(client);
}

void test_reopening(const struct places *places) {
    // What the library keeps for all clients is made by the first ones.
    for (int round = 0; round < 5; round += 1) use(places);
    const int before = open_file_count(0x7FFFFFFF);
    for (int round = 0; round < 30; round += 1) use(places);
    CHECK(open_file_count(before) <= before);
    printf("reopening: %d clients\n", 35);
}
