/**
 * offline_bundles.h: web bundles on the device, and what the network adds to them.
 *
 * A client opens a store, the folder with the installed bundles, and responds to requests from these layers, in this order:
 * the bundle's file, the cache, the network, a stale copy, the bundle's offline page. The rules are those of the library's
 * other interfaces; a response has the same status, fields and body.
 *
 * Conventions, which hold unless a function says otherwise:
 *
 * - Threads: every function may be called on any thread, and several at the same time also for one handle. What releases a
 *   handle (ob_close, ob_…_release, ob_…_free) must be the last use of it. Functions marked “waits” wait for the disk or the
 *   network: don't call them on a thread that draws.
 * - Ownership: what a function returns as a handle or as `char *` belongs to the caller, who releases it with the function
 *   that is named. What is returned as `const char *` or `const void *` belongs to the handle that was asked, and is valid
 *   until the handle is released. Arguments are copied where they are needed after the call.
 * - Text: UTF-8, ended by a NUL. An argument that isn't UTF-8 fails with OB_INVALID_ARGUMENT.
 * - Lengths and offsets are in bytes.
 * - Errors: functions that can fail take `ob_error **error` as their last parameter. When they fail, and it isn't NULL,
 *   they store an error there, which the caller releases with ob_error_free(). When they succeed they store NULL.
 * - Releasing NULL does nothing. No other argument may be NULL unless it is marked OB_NULLABLE.
 * - Structures begin with `size`, which the caller sets to sizeof the structure; the initialisers such as
 *   OB_OPTIONS_INIT do that. A later library has further members at the end and takes the shorter structures too.
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

/** Frees a text that a function has returned as `char *`. */
OB_API void ob_string_free(char *OB_NULLABLE string);

/* ---- Errors --------------------------------------------------------------------------------------------------------- */

/** What a function has come to: OB_OK, or the kind of the failure. */
typedef int32_t ob_status;
enum {
    OB_OK = 0,
    /** A failure that has no code of its own. */
    OB_FAILED = 1,
    /** An invalid name, version, path, URL or structure, or something that can't be done with it. */
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
    OB_TOO_LARGE = 17
};

/** Why a function has failed. Immutable. Released with ob_error_free(). */
typedef struct ob_error ob_error;

/** The kind of the failure; never OB_OK. */
OB_API ob_status ob_error_status(const ob_error *OB_NONNULL error);

/** The kind's name, for logs: "invalidArchive". */
OB_API const char *OB_NONNULL ob_error_name(const ob_error *OB_NONNULL error);

/** One line for a person: what happened, where, and what to do next. */
OB_API const char *OB_NONNULL ob_error_message(const ob_error *OB_NONNULL error);

/** Releases an error. */
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
    /** The network is never asked. A library without OB_FEATURE_NETWORK never asks it. */
    OB_OFFLINE = 8,
    /**
     * No handler for SIGBUS is installed: when another program cuts a mapped file, or its disk fails, reading it ends the
     * process. Without this flag the bytes read as zeros, and ob_resource_has_faulted() tells.
     */
    OB_NO_SIGNAL_HANDLER = 16
};

/** How a client works. */
typedef struct ob_options {
    /** sizeof(ob_options). */
    size_t size;
    /** ob_option_flags. */
    ob_option_flags flags;
    /** 1 if the link to the network is metered, 0 if it isn't. */
    uint32_t is_metered;
    /** The most bytes of the cache on the disk, 0 or more; negative for the default, 512 MiB. */
    int64_t cache_byte_count;
    /** The longest response from the network that is kept, in bytes, 0 or more; negative for the default, 64 MiB. */
    int64_t cached_body_byte_count;
    /** The version of the app, for releases that need a certain one as their shell; NULL for none, and none is installed. */
    const char *OB_NULLABLE shell_version;
    /** When an update becomes active: "now", "next-start" or "when-idle", which for an app is the next start; NULL for now. */
    const char *OB_NULLABLE activation;
} ob_options;

/** The default options. */
#define OB_OPTIONS_INIT { sizeof(ob_options), 0, 0, -1, -1, NULL, NULL }

/**
 * Opens the store in a folder, or makes one. Waits.
 *
 * @param path The store's folder.
 * @param options How the client works; NULL for the default.
 * @return The client, which the caller releases with ob_close(); NULL on failure: usually OB_STORE_UNAVAILABLE.
 */
OB_API ob_client *OB_NULLABLE ob_open(
    const char *OB_NONNULL path, const ob_options *OB_NULLABLE options, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Ends what runs and releases the client. Loads, installations and updates that other threads or tasks have begun fail with
 * OB_STORE_UNAVAILABLE, bodies that are arriving too; tasks end with their `end` callback, which may come after ob_close()
 * has returned. Resources and complete responses stay readable.
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
 * @return The file, which the caller releases with ob_resource_release(); NULL when no bundle has it.
 */
OB_API ob_resource *OB_NULLABLE ob_resolve(ob_client *OB_NONNULL client, const char *OB_NONNULL url);

/** Whether a bundle covers a URL, or OB_COVERS_ALL_ORIGINS was given: then a load asks the layers for it. */
OB_API bool ob_covers(ob_client *OB_NONNULL client, const char *OB_NONNULL url);

/**
 * The file's bytes: a part of a mapped file, valid until the resource is released. Nothing is copied.
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

/** Makes another owner, who releases the resource too. Returns the same pointer. */
OB_API ob_resource *OB_NONNULL ob_resource_retain(ob_resource *OB_NONNULL resource);

/** Releases a resource. */
OB_API void ob_resource_release(ob_resource *OB_NULLABLE resource);

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
 * The body of a response of ob_begin() or ob_load(), valid until the response is released; empty for a response that is
 * passed to a callback. Bytes of bundled files aren't copied unless the body has several parts.
 *
 * @param length Where the number of bytes is stored.
 */
OB_API const void *OB_NULLABLE ob_response_body(const ob_response *OB_NONNULL response, size_t *OB_NONNULL length);

/** Whether some of the body's bytes could not be read, and appear as zeros: to be asked after using them. */
OB_API bool ob_response_has_faulted(const ob_response *OB_NONNULL response);

/** Makes another owner, who releases the response too. Returns the same pointer. */
OB_API ob_response *OB_NONNULL ob_response_retain(ob_response *OB_NONNULL response);

/** Releases a response. */
OB_API void ob_response_release(ob_response *OB_NULLABLE response);

/**
 * Responds without waiting, in microseconds, if a bundled file or a stored response in memory does.
 *
 * @param response Where the response is stored, which the caller releases with ob_response_release(); NULL is stored when
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
 * @return The response, which the caller releases with ob_response_release(), whatever its status: 404 or 504 when no layer
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

/** Releases the handle. The task goes on. */
OB_API void ob_task_release(ob_task *OB_NULLABLE task);

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
 * @return The task, which the caller releases with ob_task_release(), before or after its end. NULL on failure, for a request
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
 * @return The task, which the caller releases with ob_task_release(). Releasing it doesn't end the reports.
 */
OB_API ob_task *OB_NONNULL ob_observe_activations(
    ob_client *OB_NONNULL client, ob_activation_callback OB_NONNULL callback,
    ob_end_callback OB_NULLABLE end, void *OB_NULLABLE context);

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
 * @param report Where a JSON document is stored, which the caller frees with ob_string_free(): name, version, outcome
 *     ("installed", "activated", "unchanged"), fileCount, byteCount, newByteCount, warnings. NULL if it isn't needed.
 * @return OB_OK, or why the store is unchanged.
 */
OB_API ob_status ob_install(
    ob_client *OB_NONNULL client, const char *OB_NONNULL archive, ob_install_flags flags,
    ob_progress_callback OB_NULLABLE progress, void *OB_NULLABLE context,
    char *OB_NULLABLE *OB_NULLABLE report, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Installs the archive that is shipped with the app, when the store has none of the bundle's versions, or its active one is
 * lower. To be called at every start: while there is nothing to do, only the archive's manifest is read. Waits.
 *
 * @param report As of ob_install(); NULL is stored when there was nothing to do. NULL if it isn't needed.
 */
OB_API ob_status ob_seed(
    ob_client *OB_NONNULL client, const char *OB_NONNULL archive, char *OB_NULLABLE *OB_NULLABLE report,
    ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Reads the feed of a bundle. Waits.
 *
 * @param bundle The bundle's name.
 * @param feed The feed's URL; NULL for the one that the bundle's manifest names.
 * @param report Where a JSON document is stored, which the caller frees with ob_string_free(): name, state ("upToDate",
 *     "updateAvailable"), active, highest, available, byteCount, held, isOnHold, isRevoked, failure; members without a value
 *     are left out. NULL if it isn't needed.
 */
OB_API ob_status ob_check(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, const char *OB_NULLABLE feed,
    char *OB_NULLABLE *OB_NULLABLE report, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * Updates a bundle to the version that its feed offers, if that is higher. Waits.
 *
 * @param feed As of ob_check().
 * @param progress Called now and then; an update counts the archive's bytes twice, as received and as installed. NULL if not.
 * @param report Where a JSON document is stored, which the caller frees with ob_string_free(): name, outcome ("updated",
 *     "pending", "upToDate"), from, to, newByteCount, plan, predictedByteCount, receivedByteCount, failedPlans, isRevoked;
 *     members without a value are left out. NULL if it isn't needed.
 * @return OB_OK, also when there is nothing higher; or why the version before is still active.
 */
OB_API ob_status ob_update(
    ob_client *OB_NONNULL client, const char *OB_NONNULL bundle, const char *OB_NULLABLE feed,
    ob_progress_callback OB_NULLABLE progress, void *OB_NULLABLE context,
    char *OB_NULLABLE *OB_NULLABLE report, ob_error *OB_NULLABLE *OB_NULLABLE error);

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
 * @return A JSON document, which the caller frees with ob_string_free(): events, each with number, kind, name, date (seconds
 *     since 1970), and as far as there are: version, previous, detail, plan, predictedByteCount, receivedByteCount. NULL on
 *     failure.
 */
OB_API char *OB_NULLABLE ob_history(
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
 * @return A JSON document, which the caller frees with ob_string_free(): bundles, each with name, active, serving, pending,
 *     activation ("next-start", "when-idle"), isOnProbation, withdrawn, seed and versions, each of these with version, state
 *     ("active", "retained", "installed"), isPinned, isDamaged, fileCount, byteCount, installedAt, activatedAt, withdrawn
 *     ("revoked", "critical"); times are in seconds since 1970 in UTC, and members without a value are left out.
 */
OB_API char *OB_NONNULL ob_bundles(ob_client *OB_NONNULL client);

/**
 * What the bundles were used for, with what this client has counted up to now. Waits.
 *
 * @param bundle One bundle; NULL for all.
 * @return A JSON document, which the caller frees with ob_string_free(): the name of the one bundle, requests by
 *     layer, hitRate, bytes, saved, revalidations, errors, offlinePageCount, missCount, misses, slowest. NULL on failure.
 */
OB_API char *OB_NULLABLE ob_statistics(
    ob_client *OB_NONNULL client, const char *OB_NULLABLE bundle, ob_error *OB_NULLABLE *OB_NULLABLE error);

/**
 * What this client has sent to origins and received from them since it was opened.
 *
 * @return A JSON document, which the caller frees with ob_string_free(): hosts, each with host, requestCount, sentByteCount
 *     and receivedByteCount.
 */
OB_API char *OB_NONNULL ob_traffic(ob_client *OB_NONNULL client);

#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

#endif
