// The roots by which feeds have to be trusted.

#include "program.h"
#include <limits.h>

static ob_client *open_trusting(const char *store, const ob_root *root) {
    ob_options options = OB_OPTIONS_INIT;
    options.flags = OB_REQUIRES_TRUST;
    options.roots = root;
    options.root_count = 1;
    return ob_open(store, &options, NULL);
}

// Installing from a feed, or only trying to.
static ob_status install(ob_client *client, const char *feed, ob_error **error) {
    return ob_install_from_feed(client, feed, NULL, NULL, NULL, NULL, error);
}

static void test_document(const struct places *places, const char *store, const ob_root *root) {
    ob_error *error = NULL;
    ob_report *report = NULL;
    ob_client *client = open_trusting(store, root);
    CHECK(client != NULL);
    SUCCEEDS(ob_trust(client, "shop", &report, &error), error);
    expect_report(report, "\"isPinned\":false");
    SUCCEEDS(ob_trust(client, "news", &report, &error), error);
    CHECK(report == NULL);
    if (places->has_network) {
        CHECK(install(client, url_of(places, "/releases/feed.json"), &error) == OB_UNTRUSTED);
        expect_error(error, OB_UNTRUSTED, "untrusted");
        SUCCEEDS(install(client, url_of(places, "/signed/feed.json"), &error), error);
        expect_report(ob_bundles(client), "\"signedBy\":\"");
    }
    ob_close(client);
}

static void test_digest(const struct places *places, const char *store) {
    ob_error *error = NULL;
    ob_report *report = NULL;
    const ob_root other = {"shop", NULL, 0, "0000000000000000000000000000000000000000000000000000000000000000"};
    ob_client *client = open_trusting(store, &other);
    CHECK(client != NULL);
    SUCCEEDS(ob_trust(client, "shop", &report, &error), error);
    ob_report_free(report);
    if (places->has_network) CHECK(ob_check(client, "shop", NULL, NULL, NULL) == OB_UNTRUSTED);
    SUCCEEDS(ob_remove_trust(client, "shop", &error), error);
    SUCCEEDS(ob_remove_trust(client, "shop", &error), error);
    SUCCEEDS(ob_trust(client, "shop", &report, &error), error);
    CHECK(report == NULL);
    ob_close(client);
}

void test_trust(const struct places *places) {
    char store[PATH_MAX], document[1 << 16];
    snprintf(store, sizeof store, "%s-trust", places->store);
    FILE *file = fopen(places->root, "rb");
    CHECK(file != NULL);
    size_t length = fread(document, 1, sizeof document, file);
    fclose(file);
    const ob_root wrong[] = {{"shop", "{}", 2, NULL}, {"shop", NULL, 0, "none"}, {"shop", NULL, 0, NULL}};
    for (size_t i = 0; i < 3; i++) CHECK(open_trusting(store, &wrong[i]) == NULL);
    const ob_root root = {"shop", document, length, NULL};
    test_document(places, store, &root);
    test_digest(places, store);
    printf("trust: a root of %zu bytes\n", length);
}
