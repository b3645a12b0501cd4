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
    ob_report *report = NULL;
    int calls = 0;
    CHECK(ob_install(client, places->store, 0, NULL, NULL, &report, &error) != OB_OK);
    CHECK(report == NULL);
    ob_error_free(error);
    CHECK(ob_seed(client, "/dev/null", NULL, &error) == OB_INVALID_ARCHIVE);
    expect_error(error, OB_INVALID_ARCHIVE, "invalidArchive");

    SUCCEEDS(ob_seed(client, places->first, &report, &error), error);
    const ob_install_result *result = ob_report_install(report, 0);
    CHECK(ob_report_count(report) == 1 && result != NULL && result->size == sizeof *result);
    CHECK(strcmp(result->bundle, "shop") == 0 && strcmp(result->version, "1.0.0") == 0);
    CHECK(result->outcome == OB_INSTALLED && result->file_count > 0 && result->new_byte_count <= result->byte_count);
    CHECK(ob_report_install(report, 1) == NULL && ob_report_update(report, 0) == NULL);
    expect_report(report, "\"outcome\":\"installed\",\"version\":\"1.0.0\"");
    SUCCEEDS(ob_seed(client, places->first, &report, &error), error);
    CHECK(report == NULL);
    SUCCEEDS(ob_install(client, places->first, 0, NULL, NULL, &report, &error), error);
    expect_report(report, "\"outcome\":\"unchanged\"");
    SUCCEEDS(ob_install(client, places->first, OB_INSTALL_REPLACING, count_progress, &calls, &report, &error), error);
    CHECK(calls > 0);
    expect_report(report, "\"outcome\":\"installed\"");
}

static void test_update(const struct places *places, ob_client *client) {
    ob_error *error = NULL;
    ob_report *report = NULL;
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
    const ob_check_result *check = ob_report_check(report, 0);
    CHECK(check != NULL && check->state == OB_CHECK_UPDATE_AVAILABLE && strcmp(check->active, "1.0.0") == 0);
    CHECK(strcmp(check->available, "1.1.0") == 0 && check->byte_count > 0 && !check->is_on_hold && !check->is_revoked);
    expect_report(report, "\"state\":\"updateAvailable\"");
    CHECK(ob_update(client, "shop", NULL, refuse_progress, &calls, &report, &error) == OB_CANCELLED);
    CHECK(calls > 0 && report == NULL);
    expect_error(error, OB_CANCELLED, "cancelled");
    calls = 0;
    SUCCEEDS(ob_update(client, "shop", NULL, count_progress, &calls, &report, &error), error);
    CHECK(calls > 0);
    const ob_update_result *update = ob_report_update(report, 0);
    CHECK(update != NULL && update->outcome == OB_UPDATE_UPDATED && update->received_byte_count > 0);
    CHECK(strcmp(update->from, "1.0.0") == 0 && strcmp(update->to, "1.1.0") == 0 && update->problem == NULL);
    expect_report(report, "\"to\":\"1.1.0\"");
    SUCCEEDS(ob_check(client, "shop", url_of(places, "/releases/feed.json"), &report, &error), error);
    expect_report(report, "\"state\":\"upToDate\"");
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
    expect_report(ob_history(client, "shop", &error), "\"detail\":\"it stays white\"");
    CHECK(ob_history(client, "news", NULL) == NULL);
    SUCCEEDS(ob_activate(client, "shop", "1.1.0", &error), error);
    CHECK(ob_activate(client, "shop", "9.9.9", &error) == OB_NOT_FOUND);
    expect_error(error, OB_NOT_FOUND, "notFound");
    SUCCEEDS(ob_remove(client, "shop", "1.0.0", &error), error);
    CHECK(ob_remove(client, "shop", "1.0.0", NULL) == OB_NOT_FOUND);
    ob_report *report = NULL;
    SUCCEEDS(ob_install(client, places->first, OB_INSTALL_INACTIVE, NULL, NULL, &report, &error), error);
    expect_report(report, "\"version\":\"1.0.0\"");
    report = ob_bundles(client);
    CHECK(ob_report_count(report) == 2 && ob_report_release(report, 2) == NULL);
    const ob_release_result *active = ob_report_release(report, 0), *other = ob_report_release(report, 1);
    CHECK(strcmp(active->bundle, "shop") == 0 && strcmp(active->version, "1.1.0") == 0);
    CHECK(active->flags == (OB_RELEASE_ACTIVE | OB_RELEASE_SERVING) && active->file_count > 0);
    CHECK(strcmp(other->version, "1.0.0") == 0 && (other->flags & OB_RELEASE_ACTIVE) == 0);
    CHECK(strstr(ob_report_json(report), "\"name\":\"shop\",") != NULL);
    expect_report(report, "{\"bundles\":[{\"active\":\"1.1.0\",");
}

void test_bundles(const struct places *places, ob_client *client) {
    struct observed observed = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, "", false};
    ob_task *task = ob_observe_activations(client, note_activation, note_end, &observed, NULL);
    CHECK(task != NULL);
    test_installation(places, client);
    wait_for_activations(&observed, "shop ->1.0.0;");
    test_update(places, client);
    wait_for_activations(&observed, "shop 1.0.0>1.1.0;");
    test_versions(places, client);
    ob_refresh(client);
    wait_for_activations(&observed, "shop 1.1.0>1.0.0;");
    ob_task_cancel(task);
    ob_task_free(task);
    pthread_mutex_lock(&observed.lock);
    while (!observed.has_ended) pthread_cond_wait(&observed.change, &observed.lock);
    pthread_mutex_unlock(&observed.lock);
    printf("bundles: %s\n", observed.activations);
}
