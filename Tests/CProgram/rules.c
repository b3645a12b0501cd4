// Network rules at run time.

#include "program.h"

static int status_of(ob_client *client, const char *url) {
    const ob_request request = OB_REQUEST_INIT(url);
    ob_response *response = ob_load(client, &request, 0, NULL);
    CHECK(response != NULL);
    int status = ob_response_status(response);
    ob_response_free(response);
    return status;
}

void test_rules(const struct places *places, ob_client *client) {
    const char *url = url_of(places, "/shop/pictures/large.png");
    const int before = places->has_network ? 404 : 504;
    ob_error *error = NULL;
    CHECK(status_of(client, url) == before);
    SUCCEEDS(
        ob_set_rules(
            client,
            "{\"rules\": [{\"match\": {\"path\": \"/pictures/**\"}, \"onlyIfMetered\": true, \"mock\": {\"status\": 418}}]}",
            NULL, &error),
        error);
    CHECK(status_of(client, url) == before);
    ob_set_metered(client, true);
    CHECK(status_of(client, url) == 418);
    CHECK(ob_set_rules(client, "{\"rules\": [{\"match\": 1}]}", NULL, &error) == OB_INVALID_ARGUMENT);
    CHECK(strstr(ob_error_message(error), "rules[0].match") != NULL);
    expect_error(error, OB_INVALID_ARGUMENT, "invalidArgument");
    CHECK(status_of(client, url) == 418);
    ob_set_metered(client, false);
    CHECK(status_of(client, url) == before);
    ob_set_metered(client, true);
    SUCCEEDS(ob_set_rules(client, NULL, "/nowhere", &error), error);
    CHECK(status_of(client, url) == before);
    ob_set_metered(client, false);
    printf("rules: %d\n", before);
}
