"""Drives every function of offline_bundles.h with the binding for Python.

usage: program.py LIBRARY STORE ARCHIVE ARCHIVE SITE ROOT: as the program in C, with the library's path before.
"""

import ctypes
import json
import sys
import threading
from ctypes import byref, c_size_t, c_void_p

from binding import (
    ActivationCallback, BodyCallback, BundleProgressCallback, EndCallback, ExchangeCallback,
    FUNCTIONS, Failure, HeadCallback, Library, LoadCallbacks, LoadEndCallback, LogCallback, Options,
    ProgressCallback, Request, Root, TEXT, Transport,
)


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
    task = library.checked("observe_activations", client, note, note_end, None)
    expect_failure("invalidArchive", library.report, "install", "seed", client, b"/dev/null")
    assert library.report("install", "seed", client, places[0])["outcome"] == "installed"
    assert library.report("install", "seed", client, places[0]) is None
    progress, nothing = [], ProgressCallback()
    note_progress = ProgressCallback(lambda context, done, total: progress.append((done, total)) is None)
    document = library.report("install", "install", client, places[1], 1, note_progress, None)
    assert document["version"] == "1.1.0" and progress[-1][0] == progress[-1][1] > 0
    if has_network:
        assert library.report("check", "check", client, b"shop", None)["available"] == "1.1.0"
        update = library.report("update", "update", client, b"shop", None, note_progress, None)
        assert (update["from"], update["to"]) == ("1.0.0", "1.1.0"), update
    else:
        expect_failure("networkUnavailable", library.report, "check", "check", client, b"shop", None)
        expect_failure("networkUnavailable", library.report, "update", "update", client, b"shop", None, nothing, None)
    library.checked("activate", client, b"shop", b"1.1.0")
    version = TEXT()
    library.checked("roll_back", client, b"shop", byref(version))
    assert library.text(version.value) == "1.0.0"
    library.checked("activate", client, b"shop", b"1.1.0")
    library.checked("roll_back_to", client, b"shop", b"1.0.0")
    library.checked("hold", client, b"shop")
    library.checked("unhold", client, b"shop")
    library.checked("retry", client, b"shop")
    library.checked("confirm", client, b"shop", None)
    library.checked("mark_bad", client, b"shop", b"1.1.0", b"it stays white")
    events = library.document(library.checked("history", client, b"shop"))["events"]
    assert events[-1]["kind"] == "markedBad", events
    library.checked("remove", client, b"shop", b"1.1.0")
    library.report("install", "install", client, places[1], 0, nothing, None)
    library.refresh(client)
    bundles = library.document(library.bundles(client), "release")["bundles"]
    assert [bundle["active"] for bundle in bundles] == ["1.1.0"]
    library.task_cancel(task)
    library.task_free(task)
    assert end.wait(60)
    assert (b"shop", b"1.0.0", None) in activations, activations


def test_storage(library, client, site, has_network):
    nothing = ProgressCallback()
    library.checked("pin", client, b"shop", b"1.1.0")
    library.checked("unpin", client, b"shop", b"1.1.0")
    library.checked("set_quota", client, 1 << 30)
    assert library.document(library.checked("quota", client), "quota")["quota"] == 1 << 30
    library.checked("set_quota", client, 0)
    library.checked("clear_cache", client, None)
    assert library.report("prune", "prune", client, 1)["versions"] == []
    assert library.report("damage", "verify", client, b"shop", nothing, None)["isSound"]
    assert library.report("damage", "repair", client, None, nothing, None)["repaired"] == []
    library.report("precache", "precache", client, None)
    feed = f"{site}/releases/feed.json".encode()
    if has_network:
        installed = library.report("install", "install_from_feed", client, feed, None, nothing, None)
        assert installed["version"] == "1.1.0", installed
        assert library.report("check", "check_all", client)["bundles"][0]["state"] == "upToDate"
        updates = library.report("update", "update_all", client, BundleProgressCallback(), None)
        assert updates["bundles"][0]["outcome"] == "upToDate", updates
    else:
        expect_failure(
            "networkUnavailable", library.report, "install", "install_from_feed", client, feed, None, nothing, None)
        expect_failure("networkUnavailable", library.report, "check", "check_all", client)
        expect_failure(
            "networkUnavailable", library.report, "update", "update_all", client, BundleProgressCallback(), None)


def test_transport(library, store):
    seen, messages, failed = [], [], threading.Event()

    def send(context, exchange):
        url = library.exchange_url(exchange)
        fields = [
            (library.exchange_field_name(exchange, index), library.exchange_field_value(exchange, index))
            for index in range(library.exchange_field_count(exchange))
        ]
        seen.append((library.exchange_method(exchange), url, fields))
        if url.endswith(b"/failure"):
            library.exchange_fail(library.exchange_retain(exchange), b"the cable is cut")
            library.exchange_free(exchange)
        else:
            content, count = ctypes.create_string_buffer(16), c_size_t()
            assert library.exchange_has_content(exchange)
            library.checked("exchange_read_content", exchange, content, 16, byref(count))
            library.checked("exchange_respond", exchange, 200, None, 0)
            assert library.exchange_write(exchange, content.raw, count.value)
            library.exchange_finish(exchange)
        library.exchange_free(exchange)

    def note(context, level, message):
        messages.append((level, message))
        if b"the cable is cut" in message:
            failed.set()

    transport = Transport(ctypes.sizeof(Transport), None, ExchangeCallback(send), ExchangeCallback())
    log = LogCallback(note)
    options = Options(size=ctypes.sizeof(Options), flags=1, transport=ctypes.pointer(transport), log=log)
    client = library.checked("open", store, byref(options))
    request = Request.of("https://own.example/echo", "POST", [("X-A", "b")], b"content")
    response = library.checked("load", client, byref(request), 0)
    assert library.bytes_of(library.response_body, response) == b"content"
    library.response_free(response)
    request = Request.of("https://own.example/failure", "POST", content=b"content")
    library.response_free(library.checked("load", client, byref(request), 0))
    assert failed.wait(60), messages
    library.close(client)
    method, url, fields = seen[0]
    assert (method, url) == (b"POST", b"https://own.example/echo") and (b"X-A", b"b") in fields, seen


def test_files(library, client, site):
    url = f"{site}/shop/".encode()
    assert library.covers(client, url) and not library.covers(client, b"https://elsewhere.example/")
    assert library.resolve(client, f"{site}/none".encode()) is None
    resource = library.resolve(client, url)
    again = library.resource_retain(resource)
    library.resource_free(again)
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
    library.response_free(pointer.value)
    assert library.response_status(response) == 200 and library.response_source(response) == b"active"
    assert library.response_bundle(response) == b"shop" and library.response_version(response) == b"1.1.0"
    fields = {
        library.response_field_name(response, index).lower(): library.response_field_value(response, index)
        for index in range(library.response_field_count(response))
    }
    assert library.response_field(response, b"Content-Type") == fields[b"content-type"]
    assert library.bytes_of(library.response_body, response) == content and not library.response_has_faulted(response)
    library.response_free(response)

    expect_failure("invalidArgument", library.checked, "load", client, byref(Request.of("mailto:a")), 0)
    response = library.checked("load", client, byref(Request.of(f"{site}/shop/api/stock.json")), 0)
    assert library.response_source(response) == (b"network" if has_network else b"miss")
    library.response_free(response)

    pieces, end, statuses = [], threading.Event(), []
    head = HeadCallback(lambda context, response: statuses.append(library.response_status(response)) is None)
    body = BodyCallback(lambda context, bytes, length: pieces.append(ctypes.string_at(bytes, length)) is None)
    finish = LoadEndCallback(lambda context, error: (statuses.append(error), end.set()) and None)
    callbacks = LoadCallbacks(ctypes.sizeof(LoadCallbacks), head, body, finish)
    task = library.checked("load_start", client, byref(request), byref(callbacks), None)
    assert end.wait(60) and statuses == [200, None] and b"".join(pieces) == content
    library.task_free(task)


def test_rules(library, client, site):
    request = Request.of(f"{site}/shop/pictures/a.png")

    def status():
        response = library.checked("load", client, byref(request), 0)
        status = library.response_status(response)
        library.response_free(response)
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
                library.resource_free(resource)
                response = library.checked("load", client, byref(Request.of(f"{site}/shop/index.html")), 0)
                assert library.bytes_of(library.response_body, response) == content
                library.response_free(response)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_trust(library, store, site, document, has_network):
    root = Root(b"shop", document, len(document), None)
    options = Options(size=ctypes.sizeof(Options), roots=ctypes.pointer(root), root_count=1)
    client = library.checked("open", store, byref(options))
    trust = library.report(None, "trust", client, b"shop")
    assert not trust["isPinned"] and [role["name"] for role in trust["roles"]][0] == "root", trust
    assert library.report(None, "trust", client, b"news") is None
    if has_network:
        arguments = [None, ProgressCallback(), None]
        feeds = [f"{site}/{folder}/feed.json".encode() for folder in ("releases", "signed")]
        expect_failure("untrusted", library.report, "install", "install_from_feed", client, feeds[0], *arguments)
        assert library.report("install", "install_from_feed", client, feeds[1], *arguments)["version"] == "1.1.0"
        bundles = library.document(library.bundles(client), "release")["bundles"]
        assert bundles[0]["versions"][0]["signedBy"] == trust["root"], bundles
    library.checked("remove_trust", client, b"shop")
    assert library.report(None, "trust", client, b"shop")["root"] == trust["root"]
    library.close(client)


def main():
    path, store, first, second, site, root = sys.argv[1:]
    library = Library(path)
    assert library.abi_version() == 1 and b"." in library.version()
    has_network = library.has_feature(1)
    options = Options(size=ctypes.sizeof(Options), flags=2)
    expect_failure("storeUnavailable", library.checked, "open", b"/dev/null/store", byref(options))
    client = library.checked("open", store.encode(), byref(options))
    test_bundles(library, client, [first.encode(), second.encode()], has_network)
    resource, content = test_files(library, client, site)
    test_loads(library, client, site, content, has_network)
    test_rules(library, client, site)
    test_threads(library, client, site, content)
    test_storage(library, client, site, has_network)
    test_transport(library, store.encode() + b"-transport")
    with open(root, "rb") as file:
        test_trust(library, store.encode() + b"-trust", site, file.read(), has_network)
    statistics = library.document(library.checked("statistics", client, b"shop"))
    assert statistics["requests"]["active"] > 0
    hosts = library.document(library.traffic(client))["hosts"]
    assert bool(hosts) == has_network
    library.close(client)
    assert library.bytes_of(library.resource_bytes, resource) == content
    library.resource_free(resource)
    missing = set(FUNCTIONS) - library.called
    assert not missing, missing
    print(f"done: {len(library.called)} functions")


main()
