// A network of the program's own, and the messages of a client.

#include "program.h"
#include <limits.h>
#include <pthread.h>

enum { piece_length = 10000, piece_count = 100, kept_count = 4 };

// What the program's network has seen.
struct network {
    pthread_mutex_t lock;
    pthread_cond_t change;
    ob_exchange *kept[kept_count];  // To which it doesn't respond.
    int kept_count, cancel_count, thread_count;
    pthread_t thread;
};

static const ob_field fields[] = {
    {"Content-Type", "text/plain"}, {"Cache-Control", "max-age=600"}, {"Transfer-Encoding", "chunked"},
};

// Responds with some bytes, and frees the exchange.
static void respond(ob_exchange *exchange, const char *body, size_t length) {
    ob_error *error = NULL;
    CHECK(!ob_exchange_write(exchange, body, length));
    CHECK(ob_exchange_respond(exchange, 100, NULL, 0, NULL) == OB_INVALID_ARGUMENT);
    SUCCEEDS(ob_exchange_respond(exchange, 200, fields, sizeof fields / sizeof *fields, &error), error);
    CHECK(ob_exchange_respond(exchange, 200, NULL, 0, &error) == OB_INVALID_ARGUMENT);
    expect_error(error, OB_INVALID_ARGUMENT, "invalidArgument");
    CHECK(ob_exchange_write(exchange, body, length));
    ob_exchange_finish(exchange);
    CHECK(!ob_exchange_write(exchange, body, length));
    CHECK(ob_exchange_respond(exchange, 200, NULL, 0, NULL) == OB_CANCELLED);
    ob_exchange_free(exchange);
}

static void *respond_later(void *exchange) {
    respond(exchange, "later", 5);
    return NULL;
}

static void echo(ob_exchange *exchange) {
    char content[64];
    size_t length = 0, count = 0;
    ob_error *error = NULL;
    CHECK(ob_exchange_has_content(exchange));
    CHECK(ob_exchange_read_content(exchange, content, 0, &count, NULL) == OB_INVALID_ARGUMENT);
    do {
        SUCCEEDS(ob_exchange_read_content(exchange, content + length, 3, &count, &error), error);
        length += count;
    } while (count > 0);
    respond(exchange, content, length);
}

static void respond_in_pieces(ob_exchange *exchange) {
    static char piece[piece_length];
    CHECK(ob_exchange_respond(exchange, 200, NULL, 0, NULL) == OB_OK);
    for (int index = 0; index < piece_count; index += 1) CHECK(ob_exchange_write(exchange, piece, sizeof piece));
    ob_exchange_finish(exchange);
    ob_exchange_free(exchange);
}

static void keep(struct network *network, ob_exchange *exchange) {
    pthread_mutex_lock(&network->lock);
    CHECK(network->kept_count < kept_count);
    network->kept[network->kept_count] = exchange;
    network->kept_count += 1;
    pthread_cond_broadcast(&network->change);
    pthread_mutex_unlock(&network->lock);
}

static void send_request(void *context, ob_exchange *exchange) {
    struct network *network = context;
    const char *path = strstr(ob_exchange_url(exchange), "own.example/");
    CHECK(path != NULL && ob_exchange_field_name(exchange, ob_exchange_field_count(exchange)) == NULL);
    for (size_t index = 0; index < ob_exchange_field_count(exchange); index += 1) {
        CHECK(strlen(ob_exchange_field_name(exchange, index)) > 0 && ob_exchange_field_value(exchange, index) != NULL);
    }
    path += strlen("own.example/");
    if (strcmp(path, "now") == 0) {
        CHECK(strcmp(ob_exchange_method(exchange), "GET") == 0 && !ob_exchange_has_content(exchange));
        respond(exchange, "now", 3);
    } else if (strcmp(path, "later") == 0) {
        pthread_mutex_lock(&network->lock);
        CHECK(pthread_create(&network->thread, NULL, respond_later, exchange) == 0);
        network->thread_count += 1;
        pthread_cond_broadcast(&network->change);
        pthread_mutex_unlock(&network->lock);
    } else if (strcmp(path, "echo") == 0) {
        echo(exchange);
    } else if (strcmp(path, "pieces") == 0) {
        respond_in_pieces(exchange);
    } else if (strcmp(path, "failure") == 0) {
        ob_exchange *other = ob_exchange_retain(exchange);
        ob_exchange_fail(exchange, "the cable is cut");
        ob_exchange_free(exchange);
        ob_exchange_free(other);
    } else if (strcmp(path, "nothing") == 0) {
        ob_exchange_free(exchange);
    } else {
        keep(network, exchange);
    }
}

static void cancel_request(void *context, ob_exchange *exchange) {
    struct network *network = context;
    pthread_mutex_lock(&network->lock);
    bool is_kept = false;
    for (int index = 0; index < network->kept_count; index += 1) is_kept |= network->kept[index] == exchange;
    CHECK(is_kept);
    network->cancel_count += 1;
    pthread_cond_broadcast(&network->change);
    pthread_mutex_unlock(&network->lock);
}

static void wait_for(struct network *network, const int *count, int value) {
    pthread_mutex_lock(&network->lock);
    while (*count < value) pthread_cond_wait(&network->change, &network->lock);
    pthread_mutex_unlock(&network->lock);
}

static void expect(ob_client *client, const char *url, const char *content, const char *source, size_t length) {
    ob_request request = OB_REQUEST_INIT(url);
    request.content = content;
    request.content_length = content ? strlen(content) : 0;
    if (content) request.method = "POST";
    ob_response *response = ob_load(client, &request, 0, NULL);
    CHECK(response != NULL);
    size_t count = 0;
    ob_response_body(response, &count);
    if (strcmp(ob_response_source(response), source) != 0) fprintf(stderr, "%s from %s\n", url, ob_response_source(response));
    CHECK(strcmp(ob_response_source(response), source) == 0);
    CHECK(strcmp(source, "miss") == 0 || (ob_response_status(response) == 200 && count == length));
    CHECK(ob_response_field(response, "Transfer-Encoding") == NULL);
    ob_response_free(response);
}

static const char *path_beside(char *path, const struct places *places, const char *suffix) {
    CHECK(snprintf(path, PATH_MAX, "%s-%s", places->store, suffix) < PATH_MAX);
    return path;
}

static bool ignore_head(void *context, ob_response *response) {
    (void)context, (void)response;
    return true;
}

// Starts a request to which the program's network doesn't respond.
static ob_task *start_endless(ob_client *client, struct network *network, int number) {
    ob_request request = OB_REQUEST_INIT("https://own.example/endless");
    request.method = "POST";
    const ob_load_callbacks callbacks = {sizeof callbacks, ignore_head, NULL, NULL};
    ob_task *task = ob_load_start(client, &request, &callbacks, NULL, NULL);
    CHECK(task != NULL);
    wait_for(network, &network->kept_count, number);
    return task;
}

void test_transport(const struct places *places) {
    char store[PATH_MAX];
    struct network network = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};
    ob_transport transport = OB_TRANSPORT_INIT(send_request);
    transport.context = &network;
    transport.cancel = cancel_request;
    ob_options options = OB_OPTIONS_INIT;
    options.flags = OB_COVERS_ALL_ORIGINS;
    options.transport = &transport;
    ob_client *client = ob_open(path_beside(store, places, "transport"), &options, NULL);
    CHECK(client != NULL);
    expect(client, "https://own.example/now", NULL, "network", 3);
    expect(client, "https://own.example/now", NULL, "cache", 3);
    expect(client, "https://own.example/later", NULL, "network", 5);
    wait_for(&network, &network.thread_count, 1);
    CHECK(pthread_join(network.thread, NULL) == 0);
    expect(client, "https://own.example/echo", "some content", "network", 12);
    expect(client, "https://own.example/pieces", NULL, "network", (size_t)piece_length * piece_count);
    expect(client, "https://own.example/failure", "content", "miss", 0);
    expect(client, "https://own.example/nothing", "content", "miss", 0);

    // Nobody waits any more: the load is cancelled, and then the client closed.
    ob_task *cancelled = start_endless(client, &network, 1);
    ob_task_cancel(cancelled);
    wait_for(&network, &network.cancel_count, 1);
    ob_task *closed = start_endless(client, &network, 2);
    ob_close(client);
    CHECK(network.cancel_count == 2);
    for (int index = 0; index < network.kept_count; index += 1) {
        CHECK(!ob_exchange_write(network.kept[index], "late", 4));
        ob_exchange_free(network.kept[index]);
    }
    ob_task_free(cancelled);
    ob_task_free(closed);
    printf("transport: %d cancelled\n", network.cancel_count);
}

// Messages, as the callback gets them.
struct messages {
    pthread_mutex_t lock;
    pthread_cond_t change;
    char text[4096];
};

static void note_message(void *context, ob_log_level level, const char *message) {
    struct messages *messages = context;
    pthread_mutex_lock(&messages->lock);
    size_t length = strlen(messages->text);
    snprintf(messages->text + length, sizeof messages->text - length, "%d %s;", (int)level, message);
    pthread_cond_broadcast(&messages->change);
    pthread_mutex_unlock(&messages->lock);
}

static void wait_for_message(struct messages *messages, const char *text) {
    pthread_mutex_lock(&messages->lock);
    while (strstr(messages->text, text) == NULL) pthread_cond_wait(&messages->change, &messages->lock);
    pthread_mutex_unlock(&messages->lock);
}

void test_log(const struct places *places) {
    char store[PATH_MAX];
    struct messages messages = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};
    const ob_transport transport = OB_TRANSPORT_INIT(send_request);
    ob_options options = OB_OPTIONS_INIT;
    options.flags = OB_COVERS_ALL_ORIGINS;
    options.transport = &transport;
    options.log = note_message;
    options.log_context = &messages;
    ob_client *client = ob_open(path_beside(store, places, "log"), &options, NULL);
    CHECK(client != NULL && ob_seed(client, places->first, NULL, NULL) == OB_OK);
    wait_for_message(&messages, "0 shop@1.0.0 was installed;");
    expect(client, "https://own.example/failure", "content", "miss", 0);
    wait_for_message(&messages, "1 POST https://own.example/failure: own.example: the cable is cut");
    CHECK(ob_install(client, places->store, 0, NULL, NULL, NULL, NULL) != OB_OK);
    wait_for_message(&messages, "1 the installation of ");
    ob_close(client);
    printf("log: %zu bytes\n", strlen(messages.text));
}

void test_network(const struct places *places) {
    ob_error *error = NULL;
    ob_options options = OB_OPTIONS_INIT;
    ob_network network = OB_NETWORK_INIT;
    char store[PATH_MAX];
    options.flags = OB_COVERS_ALL_ORIGINS;
    options.network = &network;
    path_beside(store, places, "network");
    const ob_network faults[] = {
        {.size = 0},
        {.size = sizeof network, .added_ca_file = "/nonexistent/ca.pem"},
        {.size = sizeof network, .client_certificate = "/nonexistent/client.pem"},
        {.size = sizeof network, .proxy = "ftp://proxy.example"},
    };
    for (size_t index = 0; index < sizeof faults / sizeof *faults; index += 1) {
        options.network = &faults[index];
        CHECK(ob_open(store, &options, &error) == NULL);
        CHECK(ob_error_status(error) == OB_INVALID_ARGUMENT);
        ob_error_free(error);
    }
    options.network = &network;
    if (places->has_network) {
        // The origin is the proxy of a host that doesn't exist.
        network.proxy = places->site;
        network.connect_timeout = 60000;
        network.connections_per_host = 4;
        ob_client *client = ob_open(store, &options, &error);
        CHECK(client != NULL);
        const ob_request request = OB_REQUEST_INIT("http://proxied.invalid/shop/api/stock.json");
        ob_response *response = ob_load(client, &request, 0, &error);
        CHECK(response != NULL && strcmp(ob_response_source(response), "network") == 0);
        ob_response_free(response);
        ob_close(client);
    } else {
        CHECK(ob_open(store, &options, NULL) == NULL);
    }
    printf("network: %s\n", places->has_network ? "through a proxy" : "none");
}
