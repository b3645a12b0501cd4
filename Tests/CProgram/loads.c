// Requests to the layers, with and without waiting.

#include "program.h"
#include <pthread.h>

// A load whose callbacks a thread of the library calls.
struct load {
    pthread_mutex_t lock;
    pthread_cond_t change;
    ob_response *response;  // Kept from the callback.
    size_t length;
    int end_count;
    ob_status end_status;
    bool refuses_head, refuses_body;
};

static const struct load new_load = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};

static bool note_head(void *context, ob_response *response) {
    struct load *load = context;
    size_t length = 1;
    ob_response_body(response, &length);
    CHECK(length == 0);
    load->response = ob_response_retain(response);
    return !load->refuses_head;
}

static bool note_body(void *context, const void *bytes, size_t length) {
    struct load *load = context;
    CHECK(bytes != NULL && length > 0 && load->end_count == 0);
    load->length += length;
    return !load->refuses_body;
}

static void note_end(void *context, const ob_error *error) {
    struct load *load = context;
    pthread_mutex_lock(&load->lock);
    load->end_count += 1;
    load->end_status = error ? ob_error_status(error) : OB_OK;
    pthread_cond_broadcast(&load->change);
    pthread_mutex_unlock(&load->lock);
}

static void run_load(ob_client *client, const ob_request *request, struct load *load) {
    const ob_load_callbacks callbacks = {sizeof callbacks, note_head, note_body, note_end};
    ob_error *error = NULL;
    ob_task *task = ob_load_start(client, request, &callbacks, load, &error);
    CHECK(task != NULL && error == NULL);
    pthread_mutex_lock(&load->lock);
    while (load->end_count == 0) pthread_cond_wait(&load->change, &load->lock);
    pthread_mutex_unlock(&load->lock);
    ob_task_cancel(task);
    ob_task_free(task);
    CHECK(load->end_count == 1);
}

static void expect_load(ob_client *client, const char *url, int status, const char *source, const char *body) {
    const ob_request request = OB_REQUEST_INIT(url);
    ob_error *error = NULL;
    ob_response *response = ob_load(client, &request, 0, &error);
    CHECK(response != NULL && error == NULL);
    if (strcmp(ob_response_source(response), source) != 0) fprintf(stderr, "%s from %s\n", url, ob_response_source(response));
    CHECK(ob_response_status(response) == status);
    CHECK(strcmp(ob_response_source(response), source) == 0);
    size_t length = 0;
    const char *bytes = ob_response_body(response, &length);
    CHECK(length >= strlen(body) && memcmp(bytes, body, strlen(body)) == 0);
    CHECK(!ob_response_has_faulted(response));
    ob_response_free(response);
}

static void test_beginning(const struct places *places, ob_client *client) {
    ob_request request = OB_REQUEST_INIT(url_of(places, "/shop/index.html"));
    ob_response *response = NULL;
    ob_error *error = NULL;
    SUCCEEDS(ob_begin(client, &request, &response, &error), error);
    CHECK(response != NULL && ob_response_status(response) == 200);
    CHECK(strcmp(ob_response_source(response), "active") == 0);
    CHECK(strcmp(ob_response_bundle(response), "shop") == 0);
    CHECK(strcmp(ob_response_version(response), "1.1.0") == 0);
    CHECK(strcmp(ob_response_field(response, "content-TYPE"), "text/html; charset=utf-8") == 0);
    CHECK(ob_response_field(response, "X-None") == NULL);
    CHECK(ob_response_field(response, "no name") == NULL);
    size_t count = ob_response_field_count(response);
    CHECK(count > 3);
    for (size_t index = 0; index < count; index += 1) {
        CHECK(strlen(ob_response_field_name(response, index)) > 0);
        CHECK(ob_response_field_value(response, index) != NULL);
    }
    CHECK(ob_response_field_name(response, count) == NULL);
    CHECK(ob_response_field_value(response, SIZE_MAX) == NULL);
    char *tag = strdup(ob_response_field(response, "ETag"));
    ob_response_free(response);

    // A validator, a range, and another method.
    const ob_field validator = {"If-None-Match", tag};
    request.fields = &validator;
    request.field_count = 1;
    SUCCEEDS(ob_begin(client, &request, &response, &error), error);
    CHECK(ob_response_status(response) == 304);
    ob_response_free(response);
    free(tag);
    const ob_field fields[] = {{"Accept", "text/html"}, {"Range", "bytes=0-4"}};
    request.fields = fields;
    request.field_count = 2;
    SUCCEEDS(ob_begin(client, &request, &response, &error), error);
    size_t length = 0;
    CHECK(ob_response_status(response) == 206 && ob_response_body(response, &length) != NULL && length == 5);
    ob_response_free(response);
    ob_request head = OB_REQUEST_INIT(url_of(places, "/shop/index.html"));
    head.method = "HEAD";
    SUCCEEDS(ob_begin(client, &head, &response, &error), error);
    ob_response_body(response, &length);
    CHECK(ob_response_status(response) == 200 && length == 0);
    ob_response_free(response);

    const ob_request waiting = OB_REQUEST_INIT(url_of(places, "/shop/api/stock.json"));
    SUCCEEDS(ob_begin(client, &waiting, &response, &error), error);
    CHECK(response == NULL);
}

static void test_bad_requests(const struct places *places, ob_client *client) {
    const struct {
        const char *url, *method, *name, *value;
    } requests[] = {
        {"ftp://m.example.com/", NULL, "Accept", "*/*"}, {"https://m.example.com/a b", NULL, "Accept", "*/*"},
        {"\xff", NULL, "Accept", "*/*"},                 {"https://m.example.com/", "GE T", "Accept", "*/*"},
        {"https://m.example.com/", NULL, "a b", "c"},    {"https://m.example.com/", NULL, "Accept", "a\r\nb: c"},
        {"https://m.example.com/", NULL, "Upgrade", "websocket"},
    };
    for (size_t index = 0; index < sizeof requests / sizeof *requests; index += 1) {
        const ob_field field = {requests[index].name, requests[index].value};
        ob_request request = OB_REQUEST_INIT(requests[index].url);
        request.method = requests[index].method;
        request.fields = &field;
        request.field_count = 1;
        const ob_load_callbacks callbacks = {sizeof callbacks, note_head, note_body, note_end};
        ob_response *response = (ob_response *)client;
        ob_error *error = NULL;
        CHECK(ob_begin(client, &request, &response, &error) == OB_INVALID_ARGUMENT);
        CHECK(response == NULL);
        expect_error(error, OB_INVALID_ARGUMENT, "invalidArgument");
        CHECK(ob_load(client, &request, 0, &error) == NULL);
        expect_error(error, OB_INVALID_ARGUMENT, "invalidArgument");
        CHECK(ob_load_start(client, &request, &callbacks, NULL, &error) == NULL);
        expect_error(error, OB_INVALID_ARGUMENT, "invalidArgument");
    }
    const ob_request request = OB_REQUEST_INIT(url_of(places, "/shop/"));
    const ob_load_callbacks nothing = {0, NULL, NULL, NULL};
    CHECK(ob_load_start(client, &request, &nothing, NULL, NULL) == NULL);
    ob_error *error = NULL;
    CHECK(ob_load(client, &request, 10, &error) == NULL);
    expect_error(error, OB_TOO_LARGE, "tooLarge");
}

static void test_tasks(const struct places *places, ob_client *client) {
    const ob_request request = OB_REQUEST_INIT(url_of(places, "/shop/products/index.html"));
    struct load load = new_load;
    run_load(client, &request, &load);
    CHECK(load.end_status == OB_OK && load.length > 100 && ob_response_status(load.response) == 200);
    CHECK(atoi(ob_response_field(load.response, "Content-Length")) == (int)load.length);
    ob_response_free(load.response);
    load = new_load;
    load.refuses_head = true;
    run_load(client, &request, &load);
    CHECK(load.end_status == OB_CANCELLED && load.length == 0);
    ob_response_free(load.response);
    load = new_load;
    load.refuses_body = true;
    run_load(client, &request, &load);
    CHECK(load.end_status == OB_CANCELLED && load.length > 0);
    ob_response_free(load.response);

    const ob_load_callbacks none = {sizeof none, NULL, NULL, NULL};
    ob_task *task = ob_load_start(client, &request, &none, NULL, NULL);
    CHECK(task != NULL);
    ob_task_free(task);
}

void test_loads(const struct places *places, ob_client *client) {
    test_beginning(places, client);
    test_bad_requests(places, client);
    test_tasks(places, client);
    expect_load(client, url_of(places, "/shop/"), 200, "active", "<!");
    ob_request page = OB_REQUEST_INIT(url_of(places, "/shop/products/7"));
    page.is_page = 1;
    ob_response *response = ob_load(client, &page, 0, NULL);
    CHECK(response != NULL && ob_response_status(response) == 200);
    ob_response_free(response);
    const char *stock = url_of(places, "/shop/api/stock.json");
    if (places->has_network) {
        expect_load(client, stock, 200, "network", "{");
        expect_load(client, stock, 200, "cache", "{");
        ob_set_link_up(client, false);
        expect_load(client, stock, 200, "cache", "{");
        ob_set_link_up(client, true);
        ob_request post = OB_REQUEST_INIT(stock);
        post.method = "POST";
        post.content = "{}";
        post.content_length = 2;
        response = ob_load(client, &post, 0, NULL);
        CHECK(response != NULL && strcmp(ob_response_source(response), "network") == 0);
        ob_response_free(response);
        expect_report(ob_traffic(client), "{\"hosts\":[{\"host\":\"127.0.0.1\",\"receivedByteCount\":");
    } else {
        expect_load(client, stock, 504, "miss", "");
        expect_report(ob_traffic(client), "{\"hosts\":[]}");
    }
    ob_error *error = NULL;
    CHECK(ob_statistics(client, "no name", &error) == NULL);
    expect_error(error, OB_INVALID_ARGUMENT, "invalidArgument");
    expect_report(ob_statistics(client, "shop", NULL), "\"hitRate\":");
    ob_report *statistics = ob_statistics(client, NULL, &error);
    CHECK(statistics != NULL && error == NULL && ob_report_count(statistics) == 0);
    printf("loads: %.40s\n", ob_report_json(statistics));
    ob_report_free(statistics);
}
