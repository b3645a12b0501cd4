// Room, damage, and what concerns all bundles.

#include "program.h"
#include <limits.h>

static bool count_bundle_progress(void *context, const char *bundle, int64_t done, int64_t total) {
    CHECK(strcmp(bundle, "shop") == 0 && 0 <= done && done <= total);
    *(int *)context += 1;
    return true;
}

static bool count_progress(void *context, int64_t done, int64_t total) {
    CHECK(0 <= done && done <= total);
    *(int *)context += 1;
    return true;
}

static void test_updates(const struct places *places, ob_client *client) {
    ob_error *error = NULL;
    ob_report *report = NULL;
    if (!places->has_network) {
        CHECK(ob_check_all(client, NULL, NULL) == OB_NETWORK_UNAVAILABLE);
        CHECK(ob_update_all(client, NULL, NULL, NULL, NULL) == OB_NETWORK_UNAVAILABLE);
        SUCCEEDS(ob_install(client, places->second, 0, NULL, NULL, NULL, &error), error);
        return;
    }
    SUCCEEDS(ob_check_all(client, &report, &error), error);
    CHECK(ob_report_count(report) == 1 && ob_report_check(report, 0)->state == OB_CHECK_UPDATE_AVAILABLE);
    expect_report(report, "{\"bundles\":[{\"active\":\"1.0.0\",");
    int calls = 0;
    SUCCEEDS(ob_update_all(client, count_bundle_progress, &calls, &report, &error), error);
    CHECK(calls > 0 && ob_report_count(report) == 1);
    CHECK(strcmp(ob_report_update(report, 0)->to, "1.1.0") == 0);
    expect_report(report, "\"outcome\":\"updated\"");
    SUCCEEDS(ob_precache(client, "shop", &report, &error), error);
    for (size_t index = 0; index < ob_report_count(report); index += 1) {
        const ob_precache_result *result = ob_report_precache(report, index);
        CHECK(strcmp(result->bundle, "shop") == 0 && result->stored_count <= result->url_count);
    }
    expect_report(report, "{\"bundles\":[");
    CHECK(ob_precache(client, "news", NULL, NULL) == OB_NOT_FOUND);
}

static void test_room(ob_client *client) {
    ob_error *error = NULL;
    SUCCEEDS(ob_set_quota(client, 1 << 30, &error), error);
    ob_report *report = ob_quota(client, &error);
    CHECK(report != NULL && ob_report_count(report) == 1);
    const ob_quota_result *quota = ob_report_quota(report, 0);
    CHECK(quota->quota == 1 << 30 && quota->byte_count > 0 && quota->removable_byte_count <= quota->byte_count);
    expect_report(report, "\"quota\":1073741824");
    SUCCEEDS(ob_set_quota(client, 0, &error), error);
    report = ob_quota(client, &error);
    CHECK(report != NULL && ob_report_quota(report, 0)->quota == 0);
    ob_report_free(report);
    SUCCEEDS(ob_clear_cache(client, "shop", &error), error);
    SUCCEEDS(ob_clear_cache(client, NULL, &error), error);
    CHECK(ob_clear_cache(client, "news", NULL) == OB_NOT_FOUND);

    SUCCEEDS(ob_pin(client, "shop", "1.0.0", &error), error);
    CHECK(ob_pin(client, "shop", "9.9.9", NULL) == OB_NOT_FOUND);
    SUCCEEDS(ob_prune(client, 0, &report, &error), error);
    CHECK(ob_report_prune(report, 0)->version_count == 0);
    ob_report_free(report);
    SUCCEEDS(ob_unpin(client, "shop", "1.0.0", &error), error);
    SUCCEEDS(ob_prune(client, 0, &report, &error), error);
    CHECK(ob_report_prune(report, 0)->version_count == 1);
    expect_report(report, "\"version\":\"1.0.0\"");
}

static void test_verification(ob_client *client) {
    ob_error *error = NULL;
    ob_report *report = NULL;
    int calls = 0;
    SUCCEEDS(ob_verify(client, "shop", count_progress, &calls, &report, &error), error);
    CHECK(calls > 0 && ob_report_count(report) == 0 && ob_report_damage(report, 0) == NULL);
    expect_report(report, "\"isSound\":true");
    SUCCEEDS(ob_repair(client, NULL, NULL, NULL, &report, &error), error);
    CHECK(ob_report_count(report) == 0);
    expect_report(report, "\"repaired\":[]");
    CHECK(ob_verify(client, "news", NULL, NULL, NULL, &error) == OB_NOT_FOUND);
    expect_error(error, OB_NOT_FOUND, "notFound");
}

static void test_feed(const struct places *places) {
    char store[PATH_MAX];
    snprintf(store, sizeof store, "%s-feed", places->store);
    ob_error *error = NULL;
    ob_report *report = NULL;
    ob_client *client = ob_open(store, NULL, &error);
    CHECK(client != NULL);
    const char *feed = url_of(places, "/releases/feed.json");
    CHECK(ob_install_from_feed(client, "no URL", NULL, NULL, NULL, NULL, NULL) == OB_INVALID_ARGUMENT);
    if (places->has_network) {
        int calls = 0;
        SUCCEEDS(ob_install_from_feed(client, feed, NULL, count_progress, &calls, &report, &error), error);
        CHECK(calls > 0 && ob_report_install(report, 0)->outcome == OB_INSTALLED);
        expect_report(report, "\"version\":\"1.1.0\"");
    } else {
        CHECK(ob_install_from_feed(client, feed, NULL, NULL, NULL, &report, NULL) == OB_NETWORK_UNAVAILABLE);
        CHECK(report == NULL);
    }
    ob_close(client);
}

void test_storage(const struct places *places) {
    char store[PATH_MAX];
    snprintf(store, sizeof store, "%s-storage", places->store);
    ob_error *error = NULL;
    ob_client *client = ob_open(store, NULL, &error);
    CHECK(client != NULL);
    SUCCEEDS(ob_install(client, places->first, 0, NULL, NULL, NULL, &error), error);
    test_updates(places, client);
    test_room(client);
    test_verification(client);
    ob_close(client);
    test_feed(places);
    printf("storage: %s\n", places->has_network ? "with a feed" : "without a feed");
}
