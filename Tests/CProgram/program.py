"""A binding of offline_bundles.h for Python's ctypes, and a program that drives every function with it.

usage: program.py LIBRARY STORE ARCHIVE ARCHIVE SITE: as the program in C, with the library's path before.
"""

import ctypes
import json
import sys
import threading
from ctypes import POINTER, byref, c_bool, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p


class Options(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("flags", c_uint32), ("is_metered", c_uint32), ("cache_byte_count", c_int64),
        ("cached_body_byte_count", c_int64),
    ]


class Field(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class Request(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("url", c_char_p), ("method", c_char_p), ("fields", POINTER(Field)),
        ("field_count", c_size_t), ("content", c_char_p), ("content_length", c_size_t), ("is_page", c_uint32),
    ]

    @classmethod
    def of(cls, url, method=None, fields=(), content=None, is_page=False):
        array = (Field * len(fields))(*(Field(name.encode(), value.encode()) for name, value in fields))
        return cls(
            ctypes.sizeof(cls), url.encode(), method and method.encode(), array, len(fields), content,
            len(content or b""), is_page)


HeadCallback = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p)
BodyCallback = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)
LoadEndCallback = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
ActivationCallback = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_char_p, c_char_p)
EndCallback = ctypes.CFUNCTYPE(None, c_void_p)
ProgressCallback = ctypes.CFUNCTYPE(c_bool, c_void_p, c_int64, c_int64)


class LoadCallbacks(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("head", HeadCallback), ("body", BodyCallback), ("end", LoadEndCallback)]


# What a function returns that the caller frees: not c_char_p, which forgets the pointer.
TEXT = c_void_p
ERROR = POINTER(c_void_p)

# Name: result, arguments.
FUNCTIONS = {
    "ob_abi_version": (c_int32, []),
    "ob_version": (c_char_p, []),
    "ob_has_feature": (c_bool, [c_int32]),
    "ob_string_free": (None, [TEXT]),
    "ob_error_status": (c_int32, [c_void_p]),
    "ob_error_name": (c_char_p, [c_void_p]),
    "ob_error_message": (c_char_p, [c_void_p]),
    "ob_error_free": (None, [c_void_p]),
    "ob_open": (c_void_p, [c_char_p, POINTER(Options), ERROR]),
    "ob_close": (None, [c_void_p]),
    "ob_set_metered": (None, [c_void_p, c_bool]),
    "ob_set_link_up": (None, [c_void_p, c_bool]),
    "ob_set_rules": (c_int32, [c_void_p, c_char_p, c_char_p, ERROR]),
    "ob_refresh": (None, [c_void_p]),
    "ob_resolve": (c_void_p, [c_void_p, c_char_p]),
    "ob_covers": (c_bool, [c_void_p, c_char_p]),
    "ob_resource_bytes": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "ob_resource_read": (c_int32, [c_void_p, c_uint64, c_void_p, c_size_t, POINTER(c_size_t), ERROR]),
    "ob_resource_has_faulted": (c_bool, [c_void_p]),
    "ob_resource_media_type": (c_char_p, [c_void_p]),
    "ob_resource_path": (c_char_p, [c_void_p]),
    "ob_resource_bundle": (c_char_p, [c_void_p]),
    "ob_resource_version": (c_char_p, [c_void_p]),
    "ob_resource_digest": (c_char_p, [c_void_p]),
    "ob_resource_retain": (c_void_p, [c_void_p]),
    "ob_resource_release": (None, [c_void_p]),
    "ob_response_status": (c_int32, [c_void_p]),
    "ob_response_field_count": (c_size_t, [c_void_p]),
    "ob_response_field_name": (c_char_p, [c_void_p, c_size_t]),
    "ob_response_field_value": (c_char_p, [c_void_p, c_size_t]),
    "ob_response_field": (c_char_p, [c_void_p, c_char_p]),
    "ob_response_source": (c_char_p, [c_void_p]),
    "ob_response_bundle": (c_char_p, [c_void_p]),
    "ob_response_version": (c_char_p, [c_void_p]),
    "ob_response_body": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "ob_response_has_faulted": (c_bool, [c_void_p]),
    "ob_response_retain": (c_void_p, [c_void_p]),
    "ob_response_release": (None, [c_void_p]),
    "ob_begin": (c_int32, [c_void_p, POINTER(Request), POINTER(c_void_p), ERROR]),
    "ob_load": (c_void_p, [c_void_p, POINTER(Request), c_size_t, ERROR]),
    "ob_task_cancel": (None, [c_void_p]),
    "ob_task_release": (None, [c_void_p]),
    "ob_load_start": (c_void_p, [c_void_p, POINTER(Request), POINTER(LoadCallbacks), c_void_p, ERROR]),
    "ob_observe_activations": (c_void_p, [c_void_p, ActivationCallback, EndCallback, c_void_p]),
    "ob_install": (c_int32, [c_void_p, c_char_p, c_uint32, ProgressCallback, c_void_p, POINTER(TEXT), ERROR]),
    "ob_seed": (c_int32, [c_void_p, c_char_p, POINTER(TEXT), ERROR]),
    "ob_check": (c_int32, [c_void_p, c_char_p, c_char_p, POINTER(TEXT), ERROR]),
    "ob_update": (c_int32, [c_void_p, c_char_p, c_char_p, ProgressCallback, c_void_p, POINTER(TEXT), ERROR]),
    "ob_activate": (c_int32, [c_void_p, c_char_p, c_char_p, ERROR]),
    "ob_roll_back": (c_int32, [c_void_p, c_char_p, POINTER(TEXT), ERROR]),
    "ob_roll_back_to": (c_int32, [c_void_p, c_char_p, c_char_p, ERROR]),
    "ob_hold": (c_int32, [c_void_p, c_char_p, ERROR]),
    "ob_unhold": (c_int32, [c_void_p, c_char_p, ERROR]),
    "ob_retry": (c_int32, [c_void_p, c_char_p, ERROR]),
    "ob_confirm": (c_int32, [c_void_p, c_char_p, c_char_p, ERROR]),
    "ob_mark_bad": (c_int32, [c_void_p, c_char_p, c_char_p, c_char_p, ERROR]),
    "ob_history": (TEXT, [c_void_p, c_char_p, ERROR]),
    "ob_remove": (c_int32, [c_void_p, c_char_p, c_char_p, ERROR]),
    "ob_bundles": (TEXT, [c_void_p]),
    "ob_statistics": (TEXT, [c_void_p, c_char_p, ERROR]),
    "ob_traffic": (TEXT, [c_void_p]),
}


class Failure(Exception):
    def __init__(self, status, name, message):
        super().__init__(message)
        self.status, self.name = status, name


class Library:
    """The functions, with exceptions in place of errors, and texts and documents in place of pointers."""

    def __init__(self, path):
        self.functions = ctypes.CDLL(path)
        self.called = set()
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(self.functions, name)
            function.restype, function.argtypes = result, arguments

    def __getattr__(self, name):
        self.called.add("ob_" + name)
        return getattr(self.functions, "ob_" + name)

    def checked(self, name, *arguments):
        """Calls a function whose last parameter is the error."""
        error = c_void_p()
        result = getattr(self, name)(*arguments, byref(error))
        if error.value is None:
            return result
        failure = Failure(
            self.error_status(error), self.error_name(error).decode(), self.error_message(error).decode())
        self.error_free(error)
        raise failure

    def text(self, pointer):
        """Takes over a text; None for NULL."""
        if pointer is None:
            return None
        text = ctypes.string_at(pointer).decode()
        self.string_free(pointer)
        return text

    def report(self, name, *arguments):
        """Calls a function whose last parameters are a document and the error."""
        document = TEXT()
        assert self.checked(name, *arguments, byref(document)) == 0
        return self.text(document.value)

    def bytes_of(self, function, handle):
        length = c_size_t()
        pointer = function(handle, byref(length))
        return ctypes.string_at(pointer, length.value) if length.value else b""


def expect_failure(name, function, *arguments):
    try:
        function(*arguments)
    except Failure as failure:
        assert failure.name == name and failure.status > 0 and str(failure), failure
    else:
        raise AssertionError(f"{name} was expected")


def test_bundles(library, client, places, has_network):
    activations, end = [], threading.Event()
    note = ActivationCallback(lambda context, *words: activations.append(words))
    note_end = EndCallback(lambda context: end.set())
    task = library.observe_activations(client, note, note_end, None)
    expect_failure("invalidArchive", library.report, "seed", client, b"/dev/null")
    assert json.loads(library.report("seed", client, places[0]))["outcome"] == "installed"
    assert library.report("seed", client, places[0]) is None
    progress, nothing = [], ProgressCallback()
    note_progress = ProgressCallback(lambda context, done, total: progress.append((done, total)) is None)
    document = library.report("install", client, places[1], 1, note_progress, None)
    assert json.loads(document)["version"] == "1.1.0" and progress[-1][0] == progress[-1][1] > 0
    if has_network:
        assert json.loads(library.report("check", client, b"shop", None))["available"] == "1.1.0"
        update = json.loads(library.report("update", client, b"shop", None, note_progress, None))
        assert (update["from"], update["to"]) == ("1.0.0", "1.1.0"), update
    else:
        expect_failure("networkUnavailable", library.report, "check", client, b"shop", None)
        expect_failure("networkUnavailable", library.report, "update", client, b"shop", None, nothing, None)
    library.checked("activate", client, b"shop", b"1.1.0")
    assert library.report("roll_back", client, b"shop") == "1.0.0"
    library.checked("activate", client, b"shop", b"1.1.0")
    library.checked("roll_back_to", client, b"shop", b"1.0.0")
    library.checked("hold", client, b"shop")
    library.checked("unhold", client, b"shop")
    library.checked("retry", client, b"shop")
    library.checked("confirm", client, b"shop", None)
    library.checked("mark_bad", client, b"shop", b"1.1.0", b"it stays white")
    events = json.loads(library.text(library.history(client, b"shop", None)))["events"]
    assert events[-1]["kind"] == "markedBad", events
    library.checked("remove", client, b"shop", b"1.1.0")
    library.report("install", client, places[1], 0, nothing, None)
    library.refresh(client)
    bundles = json.loads(library.text(library.bundles(client)))["bundles"]
    assert [bundle["active"] for bundle in bundles] == ["1.1.0"]
    library.task_cancel(task)
    library.task_release(task)
    assert end.wait(60)
    assert (b"shop", b"1.0.0", None) in activations, activations


def test_files(library, client, site):
    url = f"{site}/shop/".encode()
    assert library.covers(client, url) and not library.covers(client, b"https://elsewhere.example/")
    assert library.resolve(client, f"{site}/none".encode()) is None
    resource = library.resolve(client, url)
    again = library.resource_retain(resource)
    library.resource_release(again)
    assert library.resource_media_type(resource) == b"text/html; charset=utf-8"
    assert library.resource_path(resource) == b"index.html"
    assert library.resource_bundle(resource) == b"shop" and library.resource_version(resource) == b"1.1.0"
    assert len(library.resource_digest(resource)) == 64
    content = library.bytes_of(library.resource_bytes, resource)
    buffer, count = ctypes.create_string_buffer(len(content)), c_size_t()
    library.checked("resource_read", resource, 0, buffer, len(content), byref(count))
    assert buffer.raw == content and count.value == len(content) and not library.resource_has_faulted(resource)
    return resource, content


def test_loads(library, client, site, content, has_network):
    request = Request.of(f"{site}/shop/index.html", fields=[("Accept", "text/html")])
    pointer = c_void_p()
    assert library.checked("begin", client, byref(request), byref(pointer)) == 0
    response = library.response_retain(pointer.value)
    library.response_release(pointer.value)
    assert library.response_status(response) == 200 and library.response_source(response) == b"active"
    assert library.response_bundle(response) == b"shop" and library.response_version(response) == b"1.1.0"
    fields = {
        library.response_field_name(response, index).lower(): library.response_field_value(response, index)
        for index in range(library.response_field_count(response))
    }
    assert library.response_field(response, b"Content-Type") == fields[b"content-type"]
    assert library.bytes_of(library.response_body, response) == content and not library.response_has_faulted(response)
    library.response_release(response)

    expect_failure("invalidArgument", library.checked, "load", client, byref(Request.of("mailto:a")), 0)
    response = library.checked("load", client, byref(Request.of(f"{site}/shop/api/stock.json")), 0)
    assert library.response_source(response) == (b"network" if has_network else b"miss")
    library.response_release(response)

    pieces, end, statuses = [], threading.Event(), []
    head = HeadCallback(lambda context, response: statuses.append(library.response_status(response)) is None)
    body = BodyCallback(lambda context, bytes, length: pieces.append(ctypes.string_at(bytes, length)) is None)
    finish = LoadEndCallback(lambda context, error: (statuses.append(error), end.set()) and None)
    callbacks = LoadCallbacks(ctypes.sizeof(LoadCallbacks), head, body, finish)
    task = library.checked("load_start", client, byref(request), byref(callbacks), None)
    assert end.wait(60) and statuses == [200, None] and b"".join(pieces) == content
    library.task_release(task)


def test_rules(library, client, site):
    request = Request.of(f"{site}/shop/pictures/a.png")

    def status():
        response = library.checked("load", client, byref(request), 0)
        status = library.response_status(response)
        library.response_release(response)
        return status

    rule = {"match": {"path": "/pictures/**"}, "onlyIfMetered": True, "mock": {"status": 418}}
    library.checked("set_rules", client, json.dumps({"rules": [rule]}).encode(), None)
    before = status()
    library.set_metered(client, True)
    assert before != 418 and status() == 418
    expect_failure("invalidArgument", library.checked, "set_rules", client, b"{", None)
    library.checked("set_rules", client, None, None)
    library.set_link_up(client, False)
    assert status() == 504
    library.set_link_up(client, True)


def test_threads(library, client, site, content):
    failures = []

    def work():
        try:
            for _ in range(50):
                resource = library.resolve(client, f"{site}/shop/".encode())
                assert library.bytes_of(library.resource_bytes, resource) == content
                library.resource_release(resource)
                response = library.checked("load", client, byref(Request.of(f"{site}/shop/index.html")), 0)
                assert library.bytes_of(library.response_body, response) == content
                library.response_release(response)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def main():
    path, store, first, second, site = sys.argv[1:]
    library = Library(path)
    assert library.abi_version() == 1 and b"." in library.version()
    has_network = library.has_feature(1)
    options = Options(ctypes.sizeof(Options), 2, 0, -1, -1)
    expect_failure("storeUnavailable", library.checked, "open", b"/dev/null/store", byref(options))
    client = library.checked("open", store.encode(), byref(options))
    test_bundles(library, client, [first.encode(), second.encode()], has_network)
    resource, content = test_files(library, client, site)
    test_loads(library, client, site, content, has_network)
    test_rules(library, client, site)
    test_threads(library, client, site, content)
    statistics = json.loads(library.text(library.checked("statistics", client, b"shop")))
    assert statistics["requests"]["active"] > 0
    hosts = json.loads(library.text(library.traffic(client)))["hosts"]
    assert bool(hosts) == has_network
    library.close(client)
    assert library.bytes_of(library.resource_bytes, resource) == content
    library.resource_release(resource)
    missing = set(FUNCTIONS) - library.called
    assert not missing, missing
    print(f"done: {len(library.called)} functions")


main()
