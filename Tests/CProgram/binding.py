"""A binding of offline_bundles.h for Python's ctypes."""

import ctypes
import json
from ctypes import POINTER, byref, c_bool, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p


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


BundleProgressCallback = ctypes.CFUNCTYPE(c_bool, c_void_p, c_char_p, c_int64, c_int64)
ExchangeCallback = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)
LogCallback = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_char_p)


class LoadCallbacks(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("head", HeadCallback), ("body", BodyCallback), ("end", LoadEndCallback)]


class Transport(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("context", c_void_p), ("send", ExchangeCallback), ("cancel", ExchangeCallback)]


class Root(ctypes.Structure):
    _fields_ = [("bundle", c_char_p), ("document", c_char_p), ("length", c_size_t), ("sha256", c_char_p)]


class Options(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("flags", c_uint32), ("is_metered", c_uint32), ("cache_byte_count", c_uint64),
        ("cached_body_byte_count", c_uint64), ("shell_version", c_char_p), ("activation", c_char_p),
        ("network", c_void_p), ("transport", POINTER(Transport)), ("log", LogCallback), ("log_context", c_void_p),
        ("log_level", c_int32), ("roots", POINTER(Root)), ("root_count", c_size_t),
        ("groups", c_char_p),
    ]


class Result(ctypes.Structure):
    """What all results begin with that have a bundle."""

    _fields_ = [("size", c_size_t), ("bundle", c_char_p)]


class Numbers(ctypes.Structure):
    """A result of three numbers: the room that a store takes, or what pruning has removed."""

    _fields_ = [("size", c_size_t), ("numbers", c_uint64 * 3)]


# What a function returns that the caller frees: not c_char_p, which forgets the pointer.
TEXT = c_void_p
ERROR = POINTER(c_void_p)
REPORT = c_void_p

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
    "ob_resource_free": (None, [c_void_p]),
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
    "ob_response_free": (None, [c_void_p]),
    "ob_begin": (c_int32, [c_void_p, POINTER(Request), POINTER(c_void_p), ERROR]),
    "ob_load": (c_void_p, [c_void_p, POINTER(Request), c_size_t, ERROR]),
    "ob_task_cancel": (None, [c_void_p]),
    "ob_task_free": (None, [c_void_p]),
    "ob_load_start": (c_void_p, [c_void_p, POINTER(Request), POINTER(LoadCallbacks), c_void_p, ERROR]),
    "ob_observe_activations": (c_void_p, [c_void_p, ActivationCallback, EndCallback, c_void_p, ERROR]),
    "ob_install": (c_int32, [c_void_p, c_char_p, c_uint32, ProgressCallback, c_void_p, POINTER(REPORT), ERROR]),
    "ob_seed": (c_int32, [c_void_p, c_char_p, POINTER(REPORT), ERROR]),
    "ob_check": (c_int32, [c_void_p, c_char_p, c_char_p, POINTER(REPORT), ERROR]),
    "ob_update": (c_int32, [c_void_p, c_char_p, c_char_p, ProgressCallback, c_void_p, POINTER(REPORT), ERROR]),
    "ob_activate": (c_int32, [c_void_p, c_char_p, c_char_p, ERROR]),
    "ob_roll_back": (c_int32, [c_void_p, c_char_p, POINTER(TEXT), ERROR]),
    "ob_roll_back_to": (c_int32, [c_void_p, c_char_p, c_char_p, ERROR]),
    "ob_hold": (c_int32, [c_void_p, c_char_p, ERROR]),
    "ob_unhold": (c_int32, [c_void_p, c_char_p, ERROR]),
    "ob_retry": (c_int32, [c_void_p, c_char_p, ERROR]),
    "ob_confirm": (c_int32, [c_void_p, c_char_p, c_char_p, ERROR]),
    "ob_mark_bad": (c_int32, [c_void_p, c_char_p, c_char_p, c_char_p, ERROR]),
    "ob_history": (REPORT, [c_void_p, c_char_p, ERROR]),
    "ob_remove": (c_int32, [c_void_p, c_char_p, c_char_p, ERROR]),
    "ob_bundles": (REPORT, [c_void_p]),
    "ob_trust": (c_int32, [c_void_p, c_char_p, POINTER(REPORT), ERROR]),
    "ob_remove_trust": (c_int32, [c_void_p, c_char_p, ERROR]),
    "ob_statistics": (REPORT, [c_void_p, c_char_p, ERROR]),
    "ob_traffic": (REPORT, [c_void_p]),
    "ob_report_count": (c_size_t, [REPORT]),
    "ob_report_json": (c_char_p, [REPORT]),
    "ob_report_free": (None, [REPORT]),
    "ob_report_install": (POINTER(Result), [REPORT, c_size_t]),
    "ob_report_check": (POINTER(Result), [REPORT, c_size_t]),
    "ob_report_update": (POINTER(Result), [REPORT, c_size_t]),
    "ob_report_release": (POINTER(Result), [REPORT, c_size_t]),
    "ob_report_damage": (POINTER(Result), [REPORT, c_size_t]),
    "ob_report_quota": (POINTER(Numbers), [REPORT, c_size_t]),
    "ob_report_prune": (POINTER(Numbers), [REPORT, c_size_t]),
    "ob_report_precache": (POINTER(Result), [REPORT, c_size_t]),
    "ob_install_from_feed": (
        c_int32, [c_void_p, c_char_p, c_char_p, ProgressCallback, c_void_p, POINTER(REPORT), ERROR]),
    "ob_check_all": (c_int32, [c_void_p, POINTER(REPORT), ERROR]),
    "ob_update_all": (c_int32, [c_void_p, BundleProgressCallback, c_void_p, POINTER(REPORT), ERROR]),
    "ob_precache": (c_int32, [c_void_p, c_char_p, POINTER(REPORT), ERROR]),
    "ob_pin": (c_int32, [c_void_p, c_char_p, c_char_p, ERROR]),
    "ob_unpin": (c_int32, [c_void_p, c_char_p, c_char_p, ERROR]),
    "ob_quota": (REPORT, [c_void_p, ERROR]),
    "ob_set_quota": (c_int32, [c_void_p, c_uint64, ERROR]),
    "ob_clear_cache": (c_int32, [c_void_p, c_char_p, ERROR]),
    "ob_prune": (c_int32, [c_void_p, c_uint32, POINTER(REPORT), ERROR]),
    "ob_verify": (c_int32, [c_void_p, c_char_p, ProgressCallback, c_void_p, POINTER(REPORT), ERROR]),
    "ob_repair": (c_int32, [c_void_p, c_char_p, ProgressCallback, c_void_p, POINTER(REPORT), ERROR]),
    "ob_exchange_method": (c_char_p, [c_void_p]),
    "ob_exchange_url": (c_char_p, [c_void_p]),
    "ob_exchange_field_count": (c_size_t, [c_void_p]),
    "ob_exchange_field_name": (c_char_p, [c_void_p, c_size_t]),
    "ob_exchange_field_value": (c_char_p, [c_void_p, c_size_t]),
    "ob_exchange_has_content": (c_bool, [c_void_p]),
    "ob_exchange_read_content": (c_int32, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t), ERROR]),
    "ob_exchange_respond": (c_int32, [c_void_p, c_int32, POINTER(Field), c_size_t, ERROR]),
    "ob_exchange_write": (c_bool, [c_void_p, c_char_p, c_size_t]),
    "ob_exchange_finish": (None, [c_void_p]),
    "ob_exchange_fail": (None, [c_void_p, c_char_p]),
    "ob_exchange_retain": (c_void_p, [c_void_p]),
    "ob_exchange_free": (None, [c_void_p]),
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

    def document(self, pointer, kind=None):
        """Takes over a report, and gives its document; None for NULL.

        kind: What its results are; None for a report without any.
        """
        if pointer is None:
            return None
        count = self.report_count(pointer)
        for index in range(count):
            assert kind and getattr(self, "report_" + kind)(pointer, index).contents.size >= 32
        assert not kind or not getattr(self, "report_" + kind)(pointer, count)
        document = json.loads(self.report_json(pointer))
        self.report_free(pointer)
        return document

    def report(self, kind, name, *arguments):
        """Calls a function whose last parameters are a report and the error."""
        report = REPORT()
        assert self.checked(name, *arguments, byref(report)) == 0
        return self.document(report.value, kind)

    def bytes_of(self, function, handle):
        length = c_size_t()
        pointer = function(handle, byref(length))
        return ctypes.string_at(pointer, length.value) if length.value else b""
