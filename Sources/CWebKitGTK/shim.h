// A pkg-config module of its own, gio-unix-2.0; Package.swift can name only one.
#include <gio-unix-2.0/gio/gunixinputstream.h>
#include <gio-unix-2.0/gio/gunixoutputstream.h>
#include <glib-unix.h>
#include <libsoup/soup.h>
#include <webkit/webkit.h>

// What C has as a macro, or with a variable number of arguments: Swift imports neither.

static inline void shell_connect(void *object, const char *signal, GCallback callback, void *data, GClosureNotify release) {
    g_signal_connect_data(object, signal, callback, data, release, (GConnectFlags)0);
}

/// A new view, which the caller owns. One that WebDriver controls has to be made so.
static inline WebKitWebView *shell_web_view_new(WebKitWebContext *context, WebKitNetworkSession *session, gboolean automated) {
    return WEBKIT_WEB_VIEW(g_object_ref_sink(g_object_new(
        WEBKIT_TYPE_WEB_VIEW, "web-context", context, "network-session", session, "is-controlled-by-automation", automated, NULL
    )));
}

static inline SoupServer *shell_soup_server_new(void) {
    return soup_server_new(NULL, NULL);
}

static inline gboolean shell_is_response_decision(WebKitPolicyDecisionType type) {
    return type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE;
}
