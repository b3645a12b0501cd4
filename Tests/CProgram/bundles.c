// Installing, updating, choosing versions, and the reports about them.

#include "program.h"
#include <pthread.h>

// What the callbacks of a thread of the library have seen.
struct observed {
    pthread_mutex_t lock;
    pthread_cond_t change;
    char activations[1024];
    bool has_ended;
};

static void note_activation(void *context, const char *bundle, const char *version, const char *previous) {
    struct observed *observed = context;
    pthread_mutex_lock(&observed->lock);
    size_t length = strlen(observed->activations);
    snprintf(
        observed->activations + length, sizeof observed->activations - length, "%s %s>%s;", bundle,
        previous ? previous : "-", version ? version : "-");
    pthread_cond_broadcast(&observed->change);
    pthread_mutex_unlock(&observed->lock);
}

static void note_end(void *context) {
    struct observed *observed = context;
    pthread_mutex_lock(&observed->lock);
    observed->has_ended = true;
    pthread_cond_broadcast(&observed->change);
    pthread_mutex_unlock(&observed->lock);
}

static void wait_for_activations(struct observed *observed, const char *text) {
    pthread_mutex_lock(&observed->lock);
    while (strstr(observed->activations, text) == NULL) pthread_cond_wait(&observed->change, &observed->lock);
    pthread_mutex_unlock(&observed->lock);
}

static bool count_progress(void *context, int64_t done, int64_t total) {
    CHECK(0 <= done && done <= total);
    *(int *)context += 1;
    return true;
}

static bool refuse_progress(void *context, int64_t done, int64_t total) {
    (void)done, (void)total;
    *(int *)context += 1;
    return false;
}

static void test_installation(const struct places *places, ob_client *client) {
    ob_error *error = NULL;
    char *report = NULL;
    int calls = 0;
    CHECK(ob_install(client, places->store, 0, NULL, NULL, &report, &error) != OB_OK);
    CHECK(report == NULL);
    ob_error_free(error);
    CHECK(ob_seed(client, "/dev/null", NULL, &error) == OB_INVALID_ARCHIVE);
    expect_error(error, OB_INVALID_ARCHIVE, "invalidArchive");

    SUCCEEDS(ob_seed(client, places->first, &report, &error), error);
    expect_text(report, "\"outcome\":\"installed\",\"version\":\"1.0.0\"");
    SUCCEEDS(ob_seed(client, places->first, &report, &error), error);
    CHECK(report == NULL);
    SUCCEEDS(ob_install(client, places->first, 0, NULL, NULL, &report, &error), error);
    expect_text(report, "\"outcome\":\"unchanged\"");
    SUCCEEDS(ob_install(client, places->first, OB_INSTALL_REPLACING, count_progress, &calls, &report, &error), error);
    CHECK(calls > 0);
    expect_text(report, "\"outcome\":\"installed\"");
}

static void test_update(const struct places *places, ob_client *client) {
    ob_error *error = NULL;
    char *report = NULL;
    int calls = 0;
    CHECK(ob_check(client, "no name", NULL, NULL, &error) == OB_INVALID_ARGUMENT);
    expect_error(error, OB_INVALID_ARGUMENT, "invalidArgument");
    if (!places->has_network) {
        CHECK(ob_check(client, "shop", NULL, NULL, &error) == OB_NETWORK_UNAVAILABLE);
        expect_error(error, OB_NETWORK_UNAVAILABLE, "networkUnavailable");
        CHECK(ob_update(client, "shop", NULL, NULL, NULL, NULL, &error) == OB_NETWORK_UNAVAILABLE);
        expect_error(error, OB_NETWORK_UNAVAILABLE, "networkUnavailable");
        SUCCEEDS(ob_install(client, places->second, OB_INSTALL_WAITING, NULL, NULL, NULL, &error), error);
        return;
    }
    SUCCEEDS(ob_check(client, "shop", NULL, &report, &error), error);
    CHECK(strstr(report, "\"active\":\"1.0.0\"") != NULL);
    expect_text(report, "\"state\":\"updateAvailable\"");
    CHECK(ob_update(client, "shop", NULL, refuse_progress, &calls, &report, &error) == OB_CANCELLED);
    CHECK(calls > 0 && report == NULL);
    expect_error(error, OB_CANCELLED, "cancelled");
    calls = 0;
    SUCCEEDS(ob_update(client, "shop", NULL, count_progress, &calls, &report, &error), error);
    CHECK(calls > 0);
    CHECK(strstr(report, "\"outcome\":\"updated\"") != NULL && strstr(report, "\"from\":\"1.0.0\"") != NULL);
    expect_text(report, "\"to\":\"1.1.0\"");
    SUCCEEDS(ob_check(client, "shop", url_of(places, "/releases/feed.json"), &report, &error), error);
    expect_text(report, "\"state\":\"upToDate\"");
}

static void test_versions(const struct places *places, ob_client *client) {
    ob_error *error = NULL;
    char *text = NULL;
    SUCCEEDS(ob_roll_back(client, "shop", &text, &error), error);
    expect_text(text, "1.0.0");
    SUCCEEDS(ob_activate(client, "shop", "1.1.0", &error), error);
    SUCCEEDS(ob_roll_back_to(client, "shop", "1.0.0", &error), error);
    CHECK(ob_roll_back_to(client, "shop", "1.1.0", NULL) == OB_INVALID_ARGUMENT);
    SUCCEEDS(ob_hold(client, "shop", &error), error);
    SUCCEEDS(ob_unhold(client, "shop", &error), error);
    CHECK(ob_hold(client, "news", NULL) == OB_NOT_FOUND);
    SUCCEEDS(ob_retry(client, "shop", &error), error);
    SUCCEEDS(ob_confirm(client, "shop", NULL, &error), error);
    CHECK(ob_confirm(client, "shop", "1.1.0", NULL) == OB_INVALID_ARGUMENT);
    SUCCEEDS(ob_mark_bad(client, "shop", "1.1.0", "it stays white", &error), error);
    expect_text(ob_history(client, "shop", &error), "\"detail\":\"it stays white\"");
    CHECK(ob_history(client, "news", NULL) == NULL);
    SUCCEEDS(ob_activate(client, "shop", "1.1.0", &error), error);
    CHECK(ob_activate(client, "shop", "9.9.9", &error) == OB_NOT_FOUND);
    expect_error(error, OB_NOT_FOUND, "notFound");
    SUCCEEDS(ob_remove(client, "shop", "1.0.0", &error), error);
    CHECK(ob_remove(client, "shop", "1.0.0", NULL) == OB_NOT_FOUND);
    SUCCEEDS(ob_install(client, places->first, OB_INSTALL_INACTIVE, NULL, NULL, &text, &error), error);
    expect_text(text, "\"version\":\"1.0.0\"");
    expect_text(ob_bundles(client), "{\"bundles\":[{\"active\":\"1.1.0\",");
    expect_text(ob_bundles(client), "\"name\":\"shop\",");
    expect_text(ob_bundles(client), "\"state\":\"active\",\"version\":\"1.1.0\"}");
}

void test_bundles(const struct places *places, ob_client *client) {
    struct observed observed = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, "", false};
    ob_task *task = ob_observe_activations(client, note_activation, note_end, &observed);
    test_installation(places, client);
    wait_for_activations(&observed, "shop ->1.0.0;");
    test_update(places, client);
    wait_for_activations(&observed, "shop 1.0.0>1.1.0;");
    test_versions(places, client);
    ob_refresh(client);
    wait_for_activations(&observed, "shop 1.1.0>1.0.0;");
    ob_task_cancel(task);
    ob_task_release(task);
    pthread_mutex_lock(&observed.lock);
    while (!observed.has_ended) pthread_cond_wait(&observed.change, &observed.lock);
    pthread_mutex_unlock(&observed.lock);
    printf("bundles: %s\n", observed.activations);
}
