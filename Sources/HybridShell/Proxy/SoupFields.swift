import BundleWebKit
import CWebKitGTK
import HTTPTypes
import OfflineBundles

/// Between libsoup's fields and ours.
@MainActor
enum SoupFields {
    static func read(_ headers: OpaquePointer?) -> [(name: String, value: String)] {
        guard let headers else { return [] }
        var iterator = SoupMessageHeadersIter()
        soup_message_headers_iter_init(&iterator, headers)
        var fields: [(name: String, value: String)] = []
        var (name, value): (UnsafePointer<CChar>?, UnsafePointer<CChar>?)
        while soup_message_headers_iter_next(&iterator, &name, &value) != 0 {
            if let name, let value { fields.append((String(cString: name), String(cString: value))) }
        }
        return fields
    }

    static func write(_ fields: HTTPFields, to headers: OpaquePointer) {
        for field in fields where !WebViewRequest.connectionFields.contains(field.name) {
            soup_message_headers_append(headers, field.name.canonicalName, field.value)
        }
    }
}
