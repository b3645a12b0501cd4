/**
 * offline_bundles.h: web bundles on the device, and what the network adds to them.
 *
 * A client opens a store, the folder with the installed bundles, and responds to requests from these layers, in this order:
 * the bundle's file, the cache, the network, a stale copy, the bundle's offline page. The rules are those of the library's
 * other interfaces; a response has the same status, fields and body.
 *
 * Conventions, which hold unless a function says otherwise:
 *
 * - Threads: every function may be called on any thread, and several at the same time also for one handle. ob_close() and
 *   ob_…_free() must be the last use of their handle. Functions marked “waits” wait for the disk or the network: don't call
 *   them on a thread that draws.
 * - Ownership: what a function returns as a handle or as `char *` belongs to the caller, who frees it: an ob_resource with
 *   ob_resource_free(), an ob_report with ob_report_free(), a text with ob_string_free(), and so on. A client alone is closed,
 *   with ob_close(). After ob_…_retain() one more ob_…_free() is needed. What is returned as a pointer to something const
 *   belongs to the handle that was asked, and is valid until the handle is freed. Arguments are copied where they are needed
 *   after the call.
 * - Callbacks: they are called on threads of the library, and may call every function. ob_close() waits for them.
 * - Text: UTF-8, ended by a NUL. An argument that isn't UTF-8 fails with OB_INVALID_ARGUMENT.
 * - Lengths and offsets are in bytes.
 * - Errors: functions that can fail take `ob_error **error` as their last parameter. When they fail, and it isn't NULL,
 *   they store an error there, which the caller frees with ob_error_free(). When they succeed they store NULL.
 * - Freeing NULL does nothing. No other argument may be NULL unless it is marked OB_NULLABLE.
 * - Structures begin with `size`, except ob_field and ob_root. The caller sets it to sizeof the structure in what it passes; the
 *   initialisers such as OB_OPTIONS_INIT do that. The library sets it in the results that it gives. A later library has further
 *   members at the end and takes the shorter structures too.
 * - New values may be added to the enumerations. Documents in JSON may get further members.
 * - After fork() the child must not use handles of its parent.
 * - Signals: see OB_NO_SIGNAL_HANDLER for SIGBUS. On Linux the first connection to an origin has SIGPIPE ignored in the
 *   whole process, as network programs do; a program with a handler for it installs the handler after that.
 */
#ifndef OFFLINE_BUNDLES_H
#define OFFLINE_BUNDLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define OB_API __declspec(dllimport)
#elif defined(__GNUC__)
#define OB_API __attribute__((visibility("default")))
#else
#define OB_API
#endif

/* Whether a pointer may be NULL: compilers that know the attributes check it. */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpragmas"
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wnullability-extension"
#define OB_NONNULL _Nonnull
#define OB_NULLABLE _Nullable
#else
#define OB_NONNULL
#define OB_NULLABLE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The library ---------------------------------------------------------------------------------------------------- */

/** The version of this header's interface. A library with the same number has all of its functions; it may have more. */
#define OB_ABI_VERSION 1

/** The interface that the library implements: OB_ABI_VERSION of its header. */
OB_API int32_t ob_abi_version(void);

/** The library's version as text, such as "1.4.0". Valid forever. */
OB_API const char *OB_NONNULL ob_version(void);

/** What a library may have or lack. */
typedef int32_t ob_feature;
enum {
    /** It can ask the network: it wasn't built without. */
    OB_FEATURE_NETWORK = 1
};

/** Whether the library has a feature; false for one that it doesn't know. */
OB_API bool ob_has_feature(ob_feature feature);

/** Frees a text that a function has stored as `char *`. */
OB_API void ob_string_free(char *OB_NULLABLE string);

/* ---- Errors --------------------------------------------------------------------------------------------------------- */

/** What a function has come to: OB_OK, or the kind of the failure. */
typedef int32_t ob_status;
enum {
    OB_OK = 0,
    /** A failure that has no code of its own. */
    OB_FAILED = 1,
    /** An invalid name, version, path, URL or structure, a file that isn't there, or something that can't be done with it. */
    OB_INVALID_ARGUMENT = 2,
    /** An archive that can't be read or that breaks a rule. */
    OB_INVALID_ARCHIVE = 3,
    /** A bundle.json that is missing, unreadable or invalid. */
    OB_INVALID_MANIFEST = 4,
    /** A feed that is unreadable or invalid, or an offered release that differs from its announcement. */
    OB_INVALID_FEED = 5,
    /** The same version is installed with different content. */
    OB_VERSION_CONFLICT = 6,
    /** A release claims URLs of another bundle. */
    OB_ORIGIN_CONFLICT = 7,
    /** The network or the server couldn't be reached, or the server responded with an error; or there is no network. */
    OB_NETWORK_UNAVAILABLE = 8,
    /** The store's folder can't be created, read or written; or the client has been closed. */
    OB_STORE_UNAVAILABLE = 9,
    /** A file or folder outside the store can't be written. */
    OB_OUTPUT_UNAVAILABLE = 10,
    /** Another process works on the same bundle. */
    OB_STORE_BUSY = 11,
    /** The store's quota has no room for the operation. */
    OB_QUOTA_EXCEEDED = 12,
    /** A file of the store has a format that only a newer program can read. */
    OB_NEWER_FORMAT = 13,
    /** A file of the store is damaged, or the disk fails. */
    OB_STORE_DAMAGED = 14,
    /** The work was cancelled. */
    OB_CANCELLED = 15,
    /** A bundle or a version that the store or the feed doesn't have. */
    OB_NOT_FOUND = 16,
    /** Content that is longer than the caller's limit. */
    OB_TOO_LARGE = 17,
    /** What a publisher has to have signed isn't signed as it must be, or has expired; or another root is trusted. */
    OB_UNTRUSTED = 18
};

/** Why a function has failed. Immutable. Freed with ob_error_free(). */
typedef struct ob_error ob_error;

/** The kind of the failure; never OB_OK. */
OB_API ob_status ob_error_status(const ob_error *OB_NONNULL error);

/** The kind's name, for logs: "invalidArchive". */
OB_API const char *OB_NONNULL ob_error_name(const ob_error *OB_NONNULL error);

/** One line for a person: what happened, where, and what to do next. */
OB_API const char *OB_NONNULL ob_error_message(const ob_error *OB_NONNULL error);

/** Frees an error. */
OB_API void ob_error_free(ob_error *OB_NULLABLE error);

/* ---- The client ----------------------------------------------------------------------------------------------------- */

/** An open store with its cache, rules and network. */
typedef struct ob_client ob_client;

/** How a client works: flags to be combined. */
typedef uint32_t ob_option_flags;
enum {
    /** URLs that no bundle covers get the cache, the network and the rules too. */
    OB_COVERS_ALL_ORIGINS = 1,
    /** Network rules with `mock` apply. */
    OB_DEVELOPMENT = 2,
    /** The store's statistics don't count the requests. */
    OB_COUNTS_NOTHING = 4,
    /** The network is never asked, nor the program's own transport. */
    OB_OFFLINE = 8,
    /**
     * No handler for SIGBUS is installed: when another program cuts a mapped file, or its disk fails, reading it ends the
     * process. Without this flag the bytes read as zeros, and ob_resource_has_faulted() tells. On Apple's systems none is
     * installed in any case: crash reporters have such handlers.
     */
    OB_NO_SIGNAL_HANDLER = 16,
    /** No response from the network is kept. */
    OB_NO_CACHE = 32,
    /** Nothing of a feed is installed that its publisher hasn't signed, whether or not the feed was trusted before. */
    OB_REQUIRES_TRUST = 64
};

/** How the library's own network works. Members that are NULL or 0 mean the default. */
typedef struct ob_network {
    /** sizeof(ob_network). */
    size_t size;
    /**
     * The authorities that are trusted in place of the system's: a PEM file, or a folder whose files have the names that
     * “openssl rehash” gives them. It is read with the first connection that needs it.
     */
    const char *OB_NULLABLE ca_file;
    /** A PEM file with authorities that are trusted too. */
    const char *OB_NULLABLE added_ca_file;
    /** A PEM file with the client's certificate, and those up to its authority after it. Needs `client_key`. */
    const char *OB_NULLABLE client_certificate;
    /** A PEM file with the key of the client's certificate, which isn't encrypted. Needs `client_certificate`. */
    const char *OB_NULLABLE client_key;
    /** The hosts that the certificate is shown to, separated by commas; NULL for every host that asks for one.
     * OB_INVALID_ARGUMENT for a list without a host. */
    const char *OB_NULLABLE client_hosts;
    /**
     * The proxy for http and https: "http://user:password@host:port". User and password are percent-encoded, and may be left
     * out. NULL for none: proxies that environment variables name aren't used. This machine is never reached through it.
     */
    const char *OB_NULLABLE proxy;
    /**
     * The hosts that are reached without the proxy, separated by commas: names, which stand for their subdomains too,
     * addresses, networks such as "10.0.0.0/8", or "*".
     */
    const char *OB_NULLABLE no_proxy;
    /** How long a request waits for a connection, in milliseconds; 0 for 5,000. */
    uint32_t connect_timeout;
    /** How long an origin may take from the end of a request to the first byte of its response, in milliseconds; 0 for 30,000. */
    uint32_t first_byte_timeout;
    /** How long an origin may stay silent within a response, in milliseconds; 0 for 30,000. */
    uint32_t silence_timeout;
    /** The most connections to one origin; 0 for the default, 256 on Linux. */
    uint32_t connections_per_host;
} ob_network;

/** The default network. */
#define OB_NETWORK_INIT { sizeof(ob_network), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0 }

/** The program's own network; see “A transport of the program's own”. */
typedef struct ob_transport ob_transport;

/** How much a message matters. */
typedef int32_t ob_log_level;
enum {
    /** A change: a release was installed, a bundle was updated. */
    OB_LOG_INFO = 0,
    /** Something didn't succeed, and may succeed later: an origin didn't respond, an update failed. */
    OB_LOG_WARNING = 1,
    /** The store is damaged. */
    OB_LOG_ERROR = 2
};

/**
 * Takes a message. Called on a thread of the library, one call after the other for a client, the first ones before ob_open()
 * returns. When 1,024 messages wait, further ones are dropped, and a message tells their number.
 *
 * @param message One line for a person, without passwords and queries of URLs. Valid during the call.
 */
typedef void (*ob_log_callback)(void *OB_NULLABLE context, ob_log_level level, const char *OB_NONNULL message);

/**
 * A publisher's root, by which the feed of a bundle has to be trusted, and by no other one. Either the document or its digest.
 * The document may also be a later or an earlier one than the root that is trusted by now.
 */
typedef struct ob_root {
    /** The bundle, which needn't be installed yet. */
    const char *OB_NONNULL bundle;
    /** The root.json that the program has; NULL to give its digest. */
    const void *OB_NULLABLE document;
    /** The number of bytes of the document. */
    size_t length;
    /** The SHA-256 of the publisher's first root, as “bundlectl keys show” prints it; NULL to give the document. */
    const char *OB_NULLABLE sha256;
} ob_root;

/** How a client works. Members that are NULL or 0 mean the default. */
typedef struct ob_options {
    /** sizeof(ob_options). */
    size_t size;
    /** ob_option_flags. */
    ob_option_flags flags;
    /** 1 if the link to the network is metered, 0 if it isn't. */
    uint32_t is_metered;
    /** The most bytes of the cache on the disk; 0 for 512 MiB. See also OB_NO_CACHE. */
    uint64_t cache_byte_count;
    /** The longest response from the network that is kept, in bytes; 0 for 64 MiB. */
    uint64_t cached_body_byte_count;
    /** The version of the app, for releases that need a certain one as their shell; NULL for none, and none is installed. */
    const char *OB_NULLABLE shell_version;
    /** When an update becomes active: "now", "next-start" or "when-idle", which for an app is the next start; NULL for now. */
    const char *OB_NULLABLE activation;
    /** The library's own network. NULL for the default. OB_INVALID_ARGUMENT for a library without OB_FEATURE_NETWORK. */
    const ob_network *OB_NULLABLE network;
    /** The program's own network in place of the library's; `network` is NULL then. NULL for none. */
    const ob_transport *OB_NULLABLE transport;
    /** Takes the client's messages; NULL if they aren't wanted. */
    ob_log_callback OB_NULLABLE log;
    /** Passed to `log`. */
    void *OB_NULLABLE log_context;
    /** The least level that is reported. */
    ob_log_level log_level;
    /**
     * The publishers' roots that the program has; NULL when there are none. Where the store trusts another root for a bundle, its
     * updates fail with OB_UNTRUSTED until ob_remove_trust(). What is installed goes on working.
     */
    const ob_root *OB_NULLABLE roots;
    /** The number of roots; each is for another bundle. */
    size_t root_count;
    /**
     * The groups that this installation is in, with commas between them, such as "lab,qa": it gets what a feed offers to one of them, whatever
     * share of the installations that is offered to. NULL for none.
     */
    const char *OB_NULLABLE groups;
} ob_options;

/** The default options. */
#define OB_OPTIONS_INIT { sizeof(ob_options), 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, OB_LOG_INFO, NULL, 0, NULL }

/**
 * Opens the store in a folder, or makes one. Waits.
 *
 * @param path The store's folder.
 * @param options How the client works; NULL for the default.
 * @return The client, which the caller closes with ob_close(). NULL on failure: usually OB_STORE_UNAVAILABLE;
 *     OB_INVALID_ARGUMENT for options that can't be used, files that they name included. On Apple's systems that are
 *     `connect_timeout`, and all members of ob_network that aren't numbers.
 */
OB_API ob_client *OB_NULLABLE ob_open(
    const char *OB_NONNULL path, const ob_options *OB_NULLABLE options, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Ends what runs and frees the client. Loads, installations and updates that other threads or tasks have begun fail with
 * OB_STORE_UNAVAILABLE, bodies that are arriving too; tasks end with their `end` callback. Resources and complete responses
 * stay readable. Waits.
 *
 * No callback of the client runs when this has returned, and none will: their contexts may be freed. The exception is a call
 * within a callback of the client. Then this doesn't wait for that callback, nor for those of the same task that follow it.
 * Don't hold a lock here that a callback takes.
 */
OB_API void ob_close(ob_client *OB_NULLABLE client);

/** Changes whether the link to the network is metered. Requests that begin later see it. */
OB_API void ob_set_metered(ob_client *OB_NONNULL client, bool is_metered);

/**
 * Changes whether there is a link to the network. While there is none, no origin is asked, and stored responses take the
 * network's place at once. Default: true.
 */
OB_API void ob_set_link_up(ob_client *OB_NONNULL client, bool is_up);

/**
 * Replaces the network rules for all requests, which come before those of the bundles' manifests. Requests that begin later
 * go by them.
 *
 * @param json An object as the member `network` of a manifest, without `precache`, of at most 1 MiB. NULL for no rules.
 * @param folder Where the files of the rules' mocks lie; NULL when there are none.
 * @return OB_OK, or OB_INVALID_ARGUMENT: the message names the place in the rules. Then the rules before still hold.
 */
OB_API ob_status ob_set_rules(
    ob_client *OB_NONNULL client, const char *OB_NULLABLE json, const char *OB_NULLABLE folder,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Takes what other processes have changed in the store. Every request does that behind its response, at most once a second;
 * a program needn't call it. Waits.
 */
OB_API void ob_refresh(ob_client *OB_NONNULL client);

/* ---- Files ---------------------------------------------------------------------------------------------------------- */

/** A file of a bundle. Immutable. Keeps its bytes readable, also after ob_close(), and when its version is removed. */
typedef struct ob_resource ob_resource;

/**
 * Finds the file of an active bundle for an absolute URL. Doesn't wait, but the first use of a file compares it with its
 * digest.
 *
 * @param url An http or https URL. Query and fragment are ignored; a folder gives its index.html.
 * @return The file, which the caller frees with ob_resource_free(); NULL when no bundle has it.
 */
OB_API ob_resource *OB_NULLABLE ob_resolve(ob_client *OB_NONNULL client, const char *OB_NONNULL url);

/** Whether a bundle covers a URL, or OB_COVERS_ALL_ORIGINS was given: then a load asks the layers for it. */
OB_API bool ob_covers(ob_client *OB_NONNULL client, const char *OB_NONNULL url);

/**
 * The file's bytes: a part of a mapped file, valid until the resource is freed. Nothing is copied.
 *
 * The bytes may become zeros when the disk fails: after using them, ask ob_resource_has_faulted().
 *
 * @param length Where the number of bytes is stored.
 */
OB_API const void *OB_NULLABLE ob_resource_bytes(const ob_resource *OB_NONNULL resource, size_t *OB_NONNULL length);

/**
 * Copies bytes of the file, and checks that they could be read.
 *
 * @param offset Where to begin. At the end of the file or after it nothing is copied.
 * @param buffer Where to copy; at least `capacity` bytes.
 * @param count Where the number of copied bytes is stored: less than `capacity` only at the end of the file.
 * @return OB_OK, or OB_STORE_DAMAGED.
 */
OB_API ob_status ob_resource_read(
    const ob_resource *OB_NONNULL resource, uint64_t offset, void *OB_NULLABLE buffer, size_t capacity,
    size_t *OB_NONNULL count, ob_error *OB_NULLABLE *OB_NULLABLE error);

/** Whether some of the bytes could not be read, and appear as zeros. */
OB_API bool ob_resource_has_faulted(const ob_resource *OB_NONNULL resource);

/** The value for Content-Type. */
OB_API const char *OB_NONNULL ob_resource_media_type(const ob_resource *OB_NONNULL resource);

/** The path in the bundle, such as "assets/app.js". */
OB_API const char *OB_NONNULL ob_resource_path(const ob_resource *OB_NONNULL resource);

/** The name of the bundle. */
OB_API const char *OB_NONNULL ob_resource_bundle(const ob_resource *OB_NONNULL resource);

/** The version of the bundle. */
OB_API const char *OB_NONNULL ob_resource_version(const ob_resource *OB_NONNULL resource);

/** The SHA-256 of the content: 64 hexadecimal digits in lower case. */
OB_API const char *OB_NONNULL ob_resource_digest(const ob_resource *OB_NONNULL resource);

/** Makes another owner, who frees the resource too. Returns the same pointer. */
OB_API ob_resource *OB_NONNULL ob_resource_retain(ob_resource *OB_NONNULL resource);

/** Gives up an ownership of a resource. */
OB_API void ob_resource_free(ob_resource *OB_NULLABLE resource);

/* ---- Requests and responses ----------------------------------------------------------------------------------------- */

/** A field of a request. */
typedef struct ob_field {
    const char *OB_NONNULL name;
    const char *OB_NONNULL value;
} ob_field;

/** A request. */
typedef struct ob_request {
    /** sizeof(ob_request). */
    size_t size;
    /** An absolute http or https URL, percent-encoded; a fragment is ignored. */
    const char *OB_NONNULL url;
    /** The method; NULL for "GET". */
    const char *OB_NULLABLE method;
    /** The fields; NULL when there are none. */
    const ob_field *OB_NULLABLE fields;
    /** The number of fields. */
    size_t field_count;
    /** The content; NULL when there is none. */
    const void *OB_NULLABLE content;
    /** The number of bytes of the content. */
    size_t content_length;
    /** 1 when a page is being opened: a client-side route or the offline page may take its place. 0 otherwise. */
    uint32_t is_page;
} ob_request;

/** A GET request for a URL. */
#define OB_REQUEST_INIT(url) { sizeof(ob_request), (url), NULL, NULL, 0, NULL, 0, 0 }

/** A response: its head, and its body if that is complete. Immutable. Valid also after ob_close(). */
typedef struct ob_response ob_response;

/** The status, such as 200. */
OB_API int32_t ob_response_status(const ob_response *OB_NONNULL response);

/** The number of fields. */
OB_API size_t ob_response_field_count(const ob_response *OB_NONNULL response);

/** The name of a field, as it is written; NULL unless `index` is less than the number of fields. */
OB_API const char *OB_NULLABLE ob_response_field_name(const ob_response *OB_NONNULL response, size_t index);

/** The value of a field; NULL unless `index` is less than the number of fields. */
OB_API const char *OB_NULLABLE ob_response_field_value(const ob_response *OB_NONNULL response, size_t index);

/** The value of the first field with this name, in whatever case; NULL when there is none. */
OB_API const char *OB_NULLABLE ob_response_field(const ob_response *OB_NONNULL response, const char *OB_NONNULL name);

/** The layer that responded: "active", "retained", "cache", "network", "stale", "miss" or "server". */
OB_API const char *OB_NONNULL ob_response_source(const ob_response *OB_NONNULL response);

/** The name of the bundle that covers the URL; NULL when none does. */
OB_API const char *OB_NULLABLE ob_response_bundle(const ob_response *OB_NONNULL response);

/** The version of that bundle; NULL when no bundle covers the URL. */
OB_API const char *OB_NULLABLE ob_response_version(const ob_response *OB_NONNULL response);

/**
 * The body of a response of ob_begin() or ob_load(), valid until the response is freed; empty for a response that is
 * passed to a callback. Bytes of bundled files aren't copied unless the body has several parts.
 *
 * @param length Where the number of bytes is stored.
 */
OB_API const void *OB_NULLABLE ob_response_body(const ob_response *OB_NONNULL response, size_t *OB_NONNULL length);

/** Whether some of the body's bytes could not be read, and appear as zeros: to be asked after using them. */
OB_API bool ob_response_has_faulted(const ob_response *OB_NONNULL response);

/** Makes another owner, who frees the response too. Returns the same pointer. */
OB_API ob_response *OB_NONNULL ob_response_retain(ob_response *OB_NONNULL response);

/** Gives up an ownership of a response. */
OB_API void ob_response_free(ob_response *OB_NULLABLE response);

/**
 * Responds without waiting, in microseconds, if a bundled file or a stored response in memory does.
 *
 * @param response Where the response is stored, which the caller frees with ob_response_free(); NULL is stored when
 *     the disk or the network has to be asked, which ob_load() and ob_load_start() do.
 * @return OB_OK, also when no response is stored; OB_INVALID_ARGUMENT for a request that isn't one.
 */
OB_API ob_status ob_begin(
    ob_client *OB_NONNULL client, const ob_request *OB_NONNULL request,
    ob_response *OB_NULLABLE *OB_NONNULL response, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Loads a URL from the layers, with its whole body. Waits.
 *
 * @param maximum_length The longest body in bytes; 0 for 64 MiB.
 * @return The response, which the caller frees with ob_response_free(), with any status: 404 or 504 when no layer
 *     has the URL; redirects aren't followed. NULL on failure: OB_INVALID_ARGUMENT for a request that isn't one, OB_TOO_LARGE for
 *     a longer body, OB_NETWORK_UNAVAILABLE when the connection breaks within the body, OB_STORE_DAMAGED when the disk fails,
 *     OB_STORE_UNAVAILABLE when the client is closed.
 */
OB_API ob_response *OB_NULLABLE ob_load(
    ob_client *OB_NONNULL client, const ob_request *OB_NONNULL request, size_t maximum_length,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/* ---- Tasks ---------------------------------------------------------------------------------------------------------- */

/** Work that goes on while the program does something else, and reports to callbacks. */
typedef struct ob_task ob_task;

/**
 * Cancels a task: its `end` callback is called with OB_CANCELLED unless it was called before. Returns at once; a callback
 * that runs on another thread goes on. May be called in a callback.
 */
OB_API void ob_task_cancel(ob_task *OB_NONNULL task);

/** Frees the handle. The task goes on. */
OB_API void ob_task_free(ob_task *OB_NULLABLE task);

/**
 * The callbacks of a load. They are called on threads of the library, one after the other: `head`, then `body` for each
 * piece of the body, then `end`. Nothing more is read while one of them runs. A callback that is NULL isn't called.
 */
typedef struct ob_load_callbacks {
    /** sizeof(ob_load_callbacks). */
    size_t size;
    /** The head has arrived. `response` is valid during the call; ob_response_retain() keeps it. False cancels the load. */
    bool (*OB_NULLABLE head)(void *OB_NULLABLE context, ob_response *OB_NONNULL response);
    /** A piece of the body, 1 byte or more, valid during the call. False cancels the load. */
    bool (*OB_NULLABLE body)(void *OB_NULLABLE context, const void *OB_NONNULL bytes, size_t length);
    /**
     * Called exactly once, and last: `context` isn't used any more. `error` is NULL when the body is complete, and valid
     * during the call otherwise.
     */
    void (*OB_NULLABLE end)(void *OB_NULLABLE context, const ob_error *OB_NULLABLE error);
} ob_load_callbacks;

/**
 * Begins to load a URL from the layers.
 *
 * @param context Passed to the callbacks.
 * @return The task, which the caller frees with ob_task_free(), before or after its end. NULL on failure, for a request
 *     that isn't one: then no callback is called.
 */
OB_API ob_task *OB_NULLABLE ob_load_start(
    ob_client *OB_NONNULL client, const ob_request *OB_NONNULL request, const ob_load_callbacks *OB_NONNULL callbacks,
    void *OB_NULLABLE context, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Another version of a bundle responds now. Called on a thread of the library, one call after the other.
 *
 * @param bundle The bundle's name.
 * @param version The version that responds now; NULL when none does.
 * @param previous The version that responded before; NULL when none did.
 */
typedef void (*ob_activation_callback)(
    void *OB_NULLABLE context, const char *OB_NONNULL bundle, const char *OB_NULLABLE version,
    const char *OB_NULLABLE previous);

/** A task has ended: called exactly once, and last; `context` isn't used any more. */
typedef void (*ob_end_callback)(void *OB_NULLABLE context);

/**
 * Reports activations from now on, by this client and by other processes; those of other processes within about a second.
 * Ends when the task is cancelled, and with ob_close().
 *
 * @param end Called at the end; NULL if nothing is to be called.
 * @return The task, which the caller frees with ob_task_free(). Freeing it doesn't end the reports. NULL on failure, when the
 *     client is being closed: then no callback is called.
 */
OB_API ob_task *OB_NULLABLE ob_observe_activations(
    ob_client *OB_NONNULL client, ob_activation_callback OB_NONNULL callback,
    ob_end_callback OB_NULLABLE end, void *OB_NULLABLE context, ob_error *OB_NULLABLE *OB_NULLABLE error);

/* ---- Reports -------------------------------------------------------------------------------------------------------- */

/**
 * What a function has found or done: results as structures, and a JSON document that has more. Immutable. Freed with
 * ob_report_free(). Valid also after ob_close().
 *
 * The function names the kind of its results. A result and its texts are valid until the report is freed.
 */
typedef struct ob_report ob_report;

/** The number of results; 0 for a report that is a JSON document alone. */
OB_API size_t ob_report_count(const ob_report *OB_NONNULL report);

/**
 * The JSON document, on one line. Made on first use. Times in it are in seconds since 1970 in UTC, and members without a value
 * are left out.
 */
OB_API const char *OB_NONNULL ob_report_json(const ob_report *OB_NONNULL report);

/** Frees a report. */
OB_API void ob_report_free(ob_report *OB_NULLABLE report);

/** What an installation has done. */
typedef int32_t ob_install_outcome;
enum {
    /** The release is new in the store. */
    OB_INSTALLED = 0,
    /** It was in the store, and is active now. */
    OB_ACTIVATED = 1,
    /** Nothing has changed. */
    OB_UNCHANGED = 2
};

/** An installation. */
typedef struct ob_install_result {
    /** sizeof(ob_install_result) in the library. */
    size_t size;
    /** The bundle's name. */
    const char *OB_NONNULL bundle;
    /** The installed version. */
    const char *OB_NONNULL version;
    /** What it has done. */
    ob_install_outcome outcome;
    /** The number of the release's files. */
    uint64_t file_count;
    /** The sum of their lengths in bytes. */
    uint64_t byte_count;
    /** The bytes that the store didn't have before. */
    uint64_t new_byte_count;
} ob_install_result;

/** An installation of a report; NULL unless `index` is less than the number of results, and they are of this kind. */
OB_API const ob_install_result *OB_NULLABLE ob_report_install(const ob_report *OB_NONNULL report, size_t index);

/** What a check has come to. */
typedef int32_t ob_check_state;
enum {
    /** The feed offers nothing higher. */
    OB_CHECK_UP_TO_DATE = 0,
    /** It offers a higher version. */
    OB_CHECK_UPDATE_AVAILABLE = 1,
    /** The bundle has no feed. */
    OB_CHECK_NO_FEED = 2,
    /** The feed is asked later. */
    OB_CHECK_POSTPONED = 3,
    /** The bundle or its feed can't be used; `problem` says why. */
    OB_CHECK_FAILED = 4
};

/** The check of a bundle. */
typedef struct ob_check_result {
    /** sizeof(ob_check_result) in the library. */
    size_t size;
    /** The bundle's name. */
    const char *OB_NONNULL bundle;
    /** What it has come to. */
    ob_check_state state;
    /** 1 if updates leave the bundle as it is, 0 otherwise. */
    uint32_t is_on_hold;
    /** 1 if the publisher has revoked the active version and offers nothing in its place, 0 otherwise. */
    uint32_t is_revoked;
    /** The active version; NULL for none. */
    const char *OB_NULLABLE active;
    /** The version to update to; NULL for none. */
    const char *OB_NULLABLE available;
    /** The length of its archive in bytes; 0 for none. */
    uint64_t byte_count;
    /** Why it has failed, is asked later, or brings no update, in one line; NULL if there is nothing to say. */
    const char *OB_NULLABLE problem;
} ob_check_result;

/** A check of a report; NULL unless `index` is less than the number of results, and they are of this kind. */
OB_API const ob_check_result *OB_NULLABLE ob_report_check(const ob_report *OB_NONNULL report, size_t index);

/** What an update has come to. */
typedef int32_t ob_update_outcome;
enum {
    /** The feed offers nothing higher. */
    OB_UPDATE_UP_TO_DATE = 0,
    /** A higher version is active. */
    OB_UPDATE_UPDATED = 1,
    /** A higher version is installed, and becomes active later. */
    OB_UPDATE_PENDING = 2,
    /** The bundle has no feed. */
    OB_UPDATE_NO_FEED = 3,
    /** The update takes place later. */
    OB_UPDATE_POSTPONED = 4,
    /** The bundle couldn't be updated; `problem` says why. */
    OB_UPDATE_FAILED = 5
};

/** The update of a bundle. */
typedef struct ob_update_result {
    /** sizeof(ob_update_result) in the library. */
    size_t size;
    /** The bundle's name. */
    const char *OB_NONNULL bundle;
    /** What it has come to. */
    ob_update_outcome outcome;
    /** 1 if the publisher has revoked the active version and offers nothing in its place, 0 otherwise. */
    uint32_t is_revoked;
    /** The version that was active before; NULL for none. */
    const char *OB_NULLABLE from;
    /** The version that is active now, or becomes active later; NULL if it failed or takes place later. */
    const char *OB_NULLABLE to;
    /** The bytes of content that the store didn't have before. */
    uint64_t new_byte_count;
    /** The bytes that were received. */
    uint64_t received_byte_count;
    /** Why it has failed or takes place later, in one line; NULL if there is nothing to say. */
    const char *OB_NULLABLE problem;
} ob_update_result;

/** An update of a report; NULL unless `index` is less than the number of results, and they are of this kind. */
OB_API const ob_update_result *OB_NULLABLE ob_report_update(const ob_report *OB_NONNULL report, size_t index);

/** What is true of a version: flags that are combined. */
typedef uint32_t ob_release_flags;
enum {
    /** It is the active version. */
    OB_RELEASE_ACTIVE = 1,
    /** Its files are served: those of the active version, or of another one if that can't be opened. */
    OB_RELEASE_SERVING = 2,
    /** It becomes active later. */
    OB_RELEASE_PENDING = 4,
    /** It is active, and has yet to be confirmed. */
    OB_RELEASE_ON_PROBATION = 8,
    /** It was shipped with the app. */
    OB_RELEASE_SEED = 16,
    /** It is kept until it is unpinned. */
    OB_RELEASE_PINNED = 32,
    /** It can't be opened. */
    OB_RELEASE_DAMAGED = 64,
    /** Its publisher has withdrawn it: nothing of it is used. */
    OB_RELEASE_WITHDRAWN = 128
};

/** A version of a bundle in the store. */
typedef struct ob_release_result {
    /** sizeof(ob_release_result) in the library. */
    size_t size;
    /** The bundle's name. */
    const char *OB_NONNULL bundle;
    /** The version. */
    const char *OB_NONNULL version;
    /** ob_release_flags. */
    ob_release_flags flags;
    /** The number of its files. */
    uint64_t file_count;
    /** The sum of their lengths in bytes. */
    uint64_t byte_count;
} ob_release_result;

/** A version of a report; NULL unless `index` is less than the number of results, and they are of this kind. */
OB_API const ob_release_result *OB_NULLABLE ob_report_release(const ob_report *OB_NONNULL report, size_t index);

/** A damaged item of the store. */
typedef struct ob_damage_result {
    /** sizeof(ob_damage_result) in the library. */
    size_t size;
    /** The bundle's name; NULL when it isn't known, or the damage concerns the whole store. */
    const char *OB_NULLABLE bundle;
    /** The version; NULL in the same cases. */
    const char *OB_NULLABLE version;
    /** The file; NULL when the damage doesn't concern a single one. */
    const char *OB_NULLABLE path;
    /** What is wrong and what to do, in one line. */
    const char *OB_NONNULL problem;
} ob_damage_result;

/** A damaged item of a report; NULL unless `index` is less than the number of results, and they are of this kind. */
OB_API const ob_damage_result *OB_NULLABLE ob_report_damage(const ob_report *OB_NONNULL report, size_t index);

/** How much room the store takes. */
typedef struct ob_quota_result {
    /** sizeof(ob_quota_result) in the library. */
    size_t size;
    /** The most bytes that it may take; 0 for no limit. */
    uint64_t quota;
    /** The bytes that it takes. */
    uint64_t byte_count;
    /** How many of them an installation may free: cached responses, and earlier versions that aren't pinned. */
    uint64_t removable_byte_count;
} ob_quota_result;

/** The room of a report; NULL unless `index` is 0, and the results are of this kind. */
OB_API const ob_quota_result *OB_NULLABLE ob_report_quota(const ob_report *OB_NONNULL report, size_t index);

/** What pruning has removed. */
typedef struct ob_prune_result {
    /** sizeof(ob_prune_result) in the library. */
    size_t size;
    /** The number of versions. */
    uint64_t version_count;
    /** The number of files of the store that were deleted. */
    uint64_t file_count;
    /** The bytes that were freed. */
    uint64_t byte_count;
} ob_prune_result;

/** What a report says of pruning; NULL unless `index` is 0, and the results are of this kind. */
OB_API const ob_prune_result *OB_NULLABLE ob_report_prune(const ob_report *OB_NONNULL report, size_t index);

/** What was fetched ahead for a bundle. */
typedef struct ob_precache_result {
    /** sizeof(ob_precache_result) in the library. */
    size_t size;
    /** The bundle's name. */
    const char *OB_NONNULL bundle;
    /** The number of URLs that its manifest names. */
    uint64_t url_count;
    /** How many of them can be responded to without a network. */
    uint64_t stored_count;
    /** How many were fetched now. */
    uint64_t fetched_count;
    /** Why the first of those that aren't stored isn't, in one line; NULL when all are. */
    const char *OB_NULLABLE problem;
} ob_precache_result;

/** What was fetched ahead, of a report; NULL unless `index` is less than the number of results, and they are of this kind. */
OB_API const ob_precache_result *OB_NULLABLE ob_report_precache(const ob_report *OB_NONNULL report, size_t index);

/* ---- Bundles -------------------------------------------------------------------------------------------------------- */

/**
 * How far an installation or an update is. Called on a thread of the library, one call after the other, before the function
 * returns that it was passed to.
 *
 * @param done The bytes that are done, 0 to `total`.
 * @param total The bytes to do, 0 or more.
 * @return False to cancel the work: the version before stays active.
 */
typedef bool (*ob_progress_callback)(void *OB_NULLABLE context, int64_t done, int64_t total);

/** How an archive is installed: flags to be combined. */
typedef uint32_t ob_install_flags;
enum {
    /** The release doesn't become active. */
    OB_INSTALL_INACTIVE = 1,
    /** It may replace the same version with different content. */
    OB_INSTALL_REPLACING = 2,
    /** Waits for another process that works on the store, instead of failing with OB_STORE_BUSY. */
    OB_INSTALL_WAITING = 4
};

/**
 * Installs an archive: zip, and on Linux tar, tar.gz, tar.xz and tar.zst. Waits.
 *
 * @param progress Called now and then; NULL if not.
 * @param report Where an ob_install_result is stored, which the caller frees with ob_report_free(); NULL if it isn't needed.
 *     Document: name, version, outcome ("installed", "activated", "unchanged"), fileCount, byteCount, newByteCount, warnings.
 * @return OB_OK, or why the store is unchanged.
 */
OB_API ob_status ob_install(
    ob_client *OB_NONNULL client, const char *OB_NONNULL archive, ob_install_flags flags,
    ob_progress_callback OB_NULLABLE progress, void *OB_NULLABLE context,
    ob_report *OB_NULLABLE *OB_NULLABLE report, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Installs the archive that is shipped with the app, when the store has none of the bundle's versions, or its active one is
 * lower. To be called at every start: while there is nothing to do, only the archive's manifest is read. Waits.
 *
 * @param report As of ob_install(); without a result when there was nothing to do, and then NULL is stored.
 */
OB_API ob_status ob_seed(
    ob_client *OB_NONNULL client, const char *OB_NONNULL archive, ob_report *OB_NULLABLE *OB_NULLABLE report,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Installs the highest release that a feed offers. The updates of its bundle follow that feed from then on, and not the one
 * that its manifest names. A bundle that is installed already is updated. Waits.
 *
 * @param feed The feed's URL.
 * @param channel The channel to follow, such as "beta"; NULL for the bundle's, and for "stable" in a new one.
 * @param progress Called now and then; the archive's bytes count twice, as received and as installed. NULL if not.
 * @param report As of ob_install(); NULL if it isn't needed.
 * @return OB_OK; OB_INVALID_ARGUMENT when the URL leads to something else than a feed, or the feed offers nothing that can be
 *     installed; or why the store is unchanged.
 */
OB_API ob_status ob_install_from_feed(
    ob_client *OB_NONNULL client, const char *OB_NONNULL feed, const char *OB_NULLABLE channel,
    ob_progress_callback OB_NULLABLE progress, void *OB_NULLABLE context,
    ob_report *OB_NULLABLE *OB_NULLABLE report, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Reads the feed of a bundle. Waits.
 *
 * @param bundle The bundle's name.
 * @param feed The feed's URL; NULL for the one that the bundle follows.
 * @param report Where an ob_check_result is stored, which the caller frees with ob_report_free(); NULL if it isn't needed.
 *     Document: name, state, active, highest, available, byteCount, held, isOnHold, isRevoked, error, failure, postponement.
 */
OB_API ob_status ob_check(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, const char *OB_NULLABLE feed,
    ob_report *OB_NULLABLE *OB_NULLABLE report, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Reads the feeds of all bundles side by side. Waits.
 *
 * @param report Where an ob_check_result for each bundle is stored, in the order of their names; the caller frees it with
 *     ob_report_free(). NULL if it isn't needed. Document: bundles, each as of ob_check().
 * @return OB_OK, also when feeds can't be read: their results say so.
 */
OB_API ob_status ob_check_all(
    ob_client *OB_NONNULL client, ob_report *OB_NULLABLE *OB_NULLABLE report, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Updates a bundle to the version that its feed offers, if that is higher. Waits.
 *
 * @param feed As of ob_check().
 * @param progress Called now and then; an update counts the archive's bytes twice, as received and as installed. NULL if not.
 * @param report Where an ob_update_result is stored, which the caller frees with ob_report_free(); NULL if it isn't needed.
 *     Document: name, outcome, from, to, newByteCount, plan, predictedByteCount, receivedByteCount, failedPlans, isRevoked,
 *     error, postponement.
 * @return OB_OK, also when there is nothing higher; or why the version before is still active.
 */
OB_API ob_status ob_update(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, const char *OB_NULLABLE feed,
    ob_progress_callback OB_NULLABLE progress, void *OB_NULLABLE context,
    ob_report *OB_NULLABLE *OB_NULLABLE report, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * How far the update of one of several bundles is. Called on a thread of the library, one call after the other, before the
 * function returns that it was passed to.
 *
 * @param bundle The bundle's name.
 * @param done The bytes that are done, 0 to `total`.
 * @param total The bytes to do, 0 or more.
 * @return False to cancel the work. Updates that are complete remain.
 */
typedef bool (*ob_bundle_progress_callback)(
    void *OB_NULLABLE context, const char *OB_NONNULL bundle, int64_t done, int64_t total);

/**
 * Updates all bundles side by side. Waits.
 *
 * @param progress Called now and then; NULL if not.
 * @param report Where an ob_update_result for each bundle is stored, in the order of their names; the caller frees it with
 *     ob_report_free(). NULL if it isn't needed. Document: bundles, each as of ob_update().
 * @return OB_OK, also when bundles can't be updated: their results say so.
 */
OB_API ob_status ob_update_all(
    ob_client *OB_NONNULL client, ob_bundle_progress_callback OB_NULLABLE progress, void *OB_NULLABLE context,
    ob_report *OB_NULLABLE *OB_NULLABLE report, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Fetches what the manifests name in `precache` and isn't stored yet. Waits, for 300 seconds at the most.
 *
 * @param bundle The bundle; NULL for all.
 * @param report Where an ob_precache_result for each bundle that names something is stored; the caller frees it with
 *     ob_report_free(). NULL if it isn't needed. Document: bundles, each with name, urlCount, storedCount, fetchedCount, failure.
 * @return OB_OK, also when something can't be fetched: the results say so.
 */
OB_API ob_status ob_precache(
    ob_client *OB_NONNULL client, const char *OB_NULLABLE bundle, ob_report *OB_NULLABLE *OB_NULLABLE report,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/** Makes an installed version the active one. Waits. */
OB_API ob_status ob_activate(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, const char *OB_NONNULL version,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Makes the version before active again. Waits.
 *
 * @param version Where the version that is active now is stored, which the caller frees with ob_string_free(). NULL if it
 *     isn't needed.
 */
OB_API ob_status ob_roll_back(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, char *OB_NULLABLE *OB_NULLABLE version,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Makes a certain lower version active again. Waits.
 *
 * @param version An installed version that is lower than the active one.
 */
OB_API ob_status ob_roll_back_to(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, const char *OB_NONNULL version,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/** Makes updates leave a bundle as it is. Waits. */
OB_API ob_status ob_hold(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, ob_error *OB_NULLABLE *OB_NULLABLE error);

/** Ends that. For a bundle that isn't on hold, it ends that a version is held back. Waits. */
OB_API ob_status ob_unhold(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, ob_error *OB_NULLABLE *OB_NULLABLE error);

/** Forgets which archives of a bundle couldn't be used, so that the next ob_update() fetches them again. Waits. */
OB_API ob_status ob_retry(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Confirms that the active version works, for a release whose manifest asks for that; otherwise nothing changes. Waits.
 *
 * @param version The version that works; NULL for the active one. OB_INVALID_ARGUMENT if another one is active.
 */
OB_API ob_status ob_confirm(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, const char *OB_NULLABLE version,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Says that a version doesn't work. If it is active, the one before becomes active again, if there is one. Updates take only
 * higher versions. Waits.
 *
 * @param reason Why; cut after 512 bytes.
 */
OB_API ob_status ob_mark_bad(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, const char *OB_NONNULL version,
    const char *OB_NONNULL reason, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * What has happened to a bundle, the oldest first. Waits.
 *
 * @param bundle The bundle; NULL for all.
 * @return A report without results, which the caller frees with ob_report_free(); NULL on failure. Document: events, each with
 *     number, kind, name, date, and as far as there are: version, previous, detail, plan, predictedByteCount, receivedByteCount.
 */
OB_API ob_report *OB_NULLABLE ob_history(
    ob_client *OB_NONNULL client, const char *OB_NULLABLE bundle, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Removes versions of a bundle. Waits.
 *
 * @param version The version to remove; NULL for the whole bundle.
 */
OB_API ob_status ob_remove(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, const char *OB_NULLABLE version,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * The bundles of the store, as they were last known.
 *
 * @return An ob_release_result for each version, the bundles in the order of their names, and of each the active version
 *     first; the caller frees it with ob_report_free(). Document: bundles, each with name, active, serving, pending, activation
 *     ("next-start", "when-idle"), isOnProbation, withdrawn, seed and versions, each of these with version, state ("active",
 *     "retained", "installed"), isPinned, isDamaged, fileCount, byteCount, installedAt, activatedAt, withdrawn ("revoked",
 *     "critical"), signedBy (the SHA-256 of the root by which the version is vouched for).
 */
OB_API ob_report *OB_NONNULL ob_bundles(ob_client *OB_NONNULL client);

/**
 * What the bundles were used for, with what this client has counted up to now. Waits.
 *
 * @param bundle One bundle; NULL for all.
 * @return A report without results, which the caller frees with ob_report_free(); NULL on failure. Document: the name of the
 *     one bundle, requests by layer, hitRate, bytes, saved, revalidations, errors, offlinePageCount, missCount, misses, slowest.
 */
OB_API ob_report *OB_NULLABLE ob_statistics(
    ob_client *OB_NONNULL client, const char *OB_NULLABLE bundle, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * What this client has sent to origins and received from them since it was opened.
 *
 * @return A report without results, which the caller frees with ob_report_free(). Document: hosts, each with host,
 *     requestCount, sentByteCount and receivedByteCount.
 */
OB_API ob_report *OB_NONNULL ob_traffic(ob_client *OB_NONNULL client);

/**
 * By which root the feed of a bundle is trusted, and which keys vouch for what until when. Waits.
 *
 * @param report Where a report without results is stored, which the caller frees with ob_report_free(); NULL is stored when the
 *     feed needn't be signed. Document: name, root, isPinned, since and roles, each of these with name, threshold, keys, version,
 *     expires.
 */
OB_API ob_status ob_trust(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, ob_report *OB_NULLABLE *OB_NULLABLE report,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Ends the trust in the feed of a bundle, for a publisher who has begun with a new root. What is installed stays. The root of the
 * client's options is trusted in its place at once; without one the next feed needn't be signed. Waits.
 *
 * @return OB_OK, also when there was nothing to end.
 */
OB_API ob_status ob_remove_trust(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, ob_error *OB_NULLABLE *OB_NULLABLE error);

/* ---- Room and damage ------------------------------------------------------------------------------------------------ */

/** Keeps a version until it is unpinned: nothing removes it. OB_NOT_FOUND if the store doesn't have it. Waits. */
OB_API ob_status ob_pin(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, const char *OB_NONNULL version,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/** Ends that. Waits. */
OB_API ob_status ob_unpin(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, const char *OB_NONNULL version,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * How much room the store takes, and how much it may take. Waits.
 *
 * @return An ob_quota_result, which the caller frees with ob_report_free(); NULL on failure. Document: quota, byteCount,
 *     removableByteCount.
 */
OB_API ob_report *OB_NULLABLE ob_quota(
    ob_client *OB_NONNULL client, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Limits the room that the store takes, for all programs that use it. An installation that needs more removes cached
 * responses, then earlier versions that aren't pinned; it fails with OB_QUOTA_EXCEEDED when that doesn't suffice. Waits.
 *
 * @param byte_count The most bytes; 0 for no limit.
 */
OB_API ob_status ob_set_quota(
    ob_client *OB_NONNULL client, uint64_t byte_count, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Removes earlier versions and what no version needs, and waits for other processes that change the store. Active and pinned
 * versions stay. Waits.
 *
 * @param kept_count How many earlier versions of each bundle stay, and how many that were never active. 1 suits most
 *     programs: a bundle can go back to the version before.
 * @param report Where an ob_prune_result is stored, which the caller frees with ob_report_free(); NULL if it isn't needed.
 *     Document: versions, fileCount, byteCount, compaction, keptDownloadCount, keptDownloadByteCount, warnings.
 */
OB_API ob_status ob_prune(
    ob_client *OB_NONNULL client, uint32_t kept_count, ob_report *OB_NULLABLE *OB_NULLABLE report,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Removes the stored responses from the network, with the copies that rules keep for the time without a network: for a program
 * whose user changes. Waits.
 *
 * @param bundle The bundle that they were fetched under; NULL for all.
 * @return OB_OK, also when there was nothing to remove. OB_NOT_FOUND for an unknown bundle.
 */
OB_API ob_status ob_clear_cache(
    ob_client *OB_NONNULL client, const char *OB_NULLABLE bundle, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Reads all files again and compares them with their digests. Waits.
 *
 * @param bundle The bundle; NULL for all.
 * @param progress Called now and then; NULL if not.
 * @param report Where an ob_damage_result for each damaged item is stored; the caller frees it with ob_report_free(). NULL if
 *     it isn't needed. Document: isSound, releaseCount, byteCount, responseCount, responseByteCount, damage.
 * @return OB_OK, also when something is damaged: the results say so. OB_NOT_FOUND for an unknown bundle.
 */
OB_API ob_status ob_verify(
    ob_client *OB_NONNULL client, const char *OB_NULLABLE bundle,
    ob_progress_callback OB_NULLABLE progress, void *OB_NULLABLE context,
    ob_report *OB_NULLABLE *OB_NULLABLE report, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * As ob_verify(), and repairs the damage. The right bytes come from other places in the store, from origins, and from the
 * archives that feeds offer. Damaged responses from the network are removed. Waits.
 *
 * @param report As of ob_verify(), with the damage that is left. The document also has repaired and tried.
 */
OB_API ob_status ob_repair(
    ob_client *OB_NONNULL client, const char *OB_NULLABLE bundle,
    ob_progress_callback OB_NULLABLE progress, void *OB_NULLABLE context,
    ob_report *OB_NULLABLE *OB_NULLABLE report, ob_error *OB_NULLABLE *OB_NULLABLE error);

/* ---- A transport of the program's own ------------------------------------------------------------------------------- */

/**
 * A request to an origin, and the way for its response. The program gets it in `send` of its transport, and frees it with
 * ob_exchange_free() when it has finished, failed or given up. Valid also after ob_close(): then it takes nothing any more.
 */
typedef struct ob_exchange ob_exchange;

/**
 * The program's own network, which ob_open() gets in its options.
 *
 * It sends the request's fields as they are, adds those that frame the content, follows no redirect, keeps no cookie and no
 * cache, and undoes no content coding. It checks the origin's certificate, and limits how long it waits.
 * Requests fail for which a network rule names another host to connect to.
 */
struct ob_transport {
    /** sizeof(ob_transport). */
    size_t size;
    /** Passed to the callbacks. */
    void *OB_NULLABLE context;
    /**
     * Sends a request. Called on a thread of its own, which may wait until the response is complete; or it returns at once, and
     * other threads respond. Up to 64 calls run at the same time; further requests wait. The program frees `exchange`.
     */
    void (*OB_NONNULL send)(void *OB_NULLABLE context, ob_exchange *OB_NONNULL exchange);
    /**
     * Nobody waits for the response any more: the program stops, and frees the exchange as usual. Called at most once for an
     * exchange, on a thread of the library, also while `send` runs, and while another thread frees the exchange; `exchange` is
     * valid during the call. When both begin at the same time, this may be entered before `send`: a program that looks its
     * requests up by their exchange remembers this one. NULL if nothing is to be called.
     */
    void (*OB_NULLABLE cancel)(void *OB_NULLABLE context, ob_exchange *OB_NONNULL exchange);
};

/** A transport that has a function to send with. */
#define OB_TRANSPORT_INIT(send) { sizeof(ob_transport), NULL, (send), NULL }

/** The method. */
OB_API const char *OB_NONNULL ob_exchange_method(const ob_exchange *OB_NONNULL exchange);

/** The absolute URL, without a fragment. */
OB_API const char *OB_NONNULL ob_exchange_url(const ob_exchange *OB_NONNULL exchange);

/** The number of the request's fields. */
OB_API size_t ob_exchange_field_count(const ob_exchange *OB_NONNULL exchange);

/** The name of a field; NULL unless `index` is less than the number of fields. */
OB_API const char *OB_NULLABLE ob_exchange_field_name(const ob_exchange *OB_NONNULL exchange, size_t index);

/** The value of a field; NULL unless `index` is less than the number of fields. */
OB_API const char *OB_NULLABLE ob_exchange_field_value(const ob_exchange *OB_NONNULL exchange, size_t index);

/** Whether the request has content, of 0 bytes or more. */
OB_API bool ob_exchange_has_content(const ob_exchange *OB_NONNULL exchange);

/**
 * Reads the next bytes of the request's content. One thread at a time reads. Waits.
 *
 * @param buffer Where to copy; at least `capacity` bytes, 1 or more.
 * @param count Where the number of copied bytes is stored: 0 at the end, and without content.
 * @return OB_OK; OB_INVALID_ARGUMENT while another thread reads, and for a capacity of 0; OB_CANCELLED when nobody waits for
 *     the response any more; or why the content can't be read.
 */
OB_API ob_status ob_exchange_read_content(
    ob_exchange *OB_NONNULL exchange, void *OB_NONNULL buffer, size_t capacity, size_t *OB_NONNULL count,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Gives the head of the response.
 *
 * @param status 200 to 599.
 * @param fields The fields; NULL when there are none. Those of the connection, such as Transfer-Encoding, are left out.
 * @param field_count The number of fields, up to 1,024. With their names they have up to 256 KiB.
 * @return OB_OK; OB_CANCELLED when nobody waits for the response any more; OB_INVALID_ARGUMENT for a head that isn't one, which
 *     leaves the exchange as it was, and when a head was given before.
 */
OB_API ob_status ob_exchange_respond(
    ob_exchange *OB_NONNULL exchange, int32_t status, const ob_field *OB_NULLABLE fields, size_t field_count,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Gives the next bytes of the body, after the head. Waits until there is room: the library holds up to 256 KiB that haven't been
 * read. One thread at a time writes.
 *
 * @return Whether the rest is wanted. False without a head, and when nobody waits for the response any more. More bytes than
 *     Content-Length says, and any to HEAD or with 204 or 304, fail the response; then it is false too.
 */
OB_API bool ob_exchange_write(ob_exchange *OB_NONNULL exchange, const void *OB_NULLABLE bytes, size_t length);

/**
 * The body is complete. Without a head, and when Content-Length says that bytes are missing, the response fails with
 * OB_NETWORK_UNAVAILABLE. Does nothing after the end.
 */
OB_API void ob_exchange_finish(ob_exchange *OB_NONNULL exchange);

/**
 * There is no response, or the rest of its body is missing: it fails with OB_NETWORK_UNAVAILABLE. Does nothing after the end.
 *
 * @param problem Why, for a person: "there is no route to the host". Cut after 512 bytes.
 */
OB_API void ob_exchange_fail(ob_exchange *OB_NONNULL exchange, const char *OB_NONNULL problem);

/** Makes another owner, who frees the exchange too. Returns the same pointer. */
OB_API ob_exchange *OB_NONNULL ob_exchange_retain(ob_exchange *OB_NONNULL exchange);

/** Gives up an ownership of an exchange. The last one fails a response that isn't complete, as ob_exchange_fail() does. */
OB_API void ob_exchange_free(ob_exchange *OB_NULLABLE exchange);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
