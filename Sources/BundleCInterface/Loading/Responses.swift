import BundleEmbedding
import BundleServing
import BundleStore
import CBundle
import HTTPTypes
import Synchronization

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_status(_ response: OpaquePointer) -> Int32 {
    Int32(Handle<ResponseHandle>.object(response).head.status.code)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_field_count(_ response: OpaquePointer) -> Int {
    Handle<ResponseHandle>.object(response).fieldCount
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_field_name(_ response: OpaquePointer, _ index: Int) -> UnsafePointer<CChar>? {
    Handle<ResponseHandle>.object(response).field(at: index)?.name
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_field_value(_ response: OpaquePointer, _ index: Int) -> UnsafePointer<CChar>? {
    Handle<ResponseHandle>.object(response).field(at: index)?.value
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_field(_ response: OpaquePointer, _ name: UnsafePointer<CChar>) -> UnsafePointer<CChar>? {
    String(validatingCString: name).flatMap { HTTPField.Name($0) }
        .flatMap(Handle<ResponseHandle>.object(response).value)
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_source(_ response: OpaquePointer) -> UnsafePointer<CChar> {
    Handle<ResponseHandle>.object(response).layer
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_bundle(_ response: OpaquePointer) -> UnsafePointer<CChar>? {
    Handle<ResponseHandle>.object(response).bundle
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_version(_ response: OpaquePointer) -> UnsafePointer<CChar>? {
    Handle<ResponseHandle>.object(response).version
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_body(_ response: OpaquePointer, _ length: UnsafeMutablePointer<Int>) -> UnsafeRawPointer? {
    // The handle keeps the bytes.
    Handle<ResponseHandle>.object(response).bytes.withUnsafeBytes { bytes in
        length.pointee = bytes.count
        return bytes.baseAddress
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_has_faulted(_ response: OpaquePointer) -> Bool {
    Handle<ResponseHandle>.object(response).hasFaulted
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_retain(_ response: OpaquePointer) -> OpaquePointer {
    Handle<ResponseHandle>.retain(response)
    return response
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_response_free(_ response: OpaquePointer?) { Handle<ResponseHandle>.release(response) }

/// What an `ob_response` is. Thread-safe.
final class ResponseHandle: Sendable {
    private struct Texts {
        let fields: [(name: CText, value: CText)]
        let source: CText
        let bundle: CText?
        let version: CText?
    }

    let head: HTTPResponse
    private let source: ResponseSource
    private let body: ResponseBody
    private let texts = Mutex<Texts?>(nil)
    private let joinedBody = Mutex<ByteSlice?>(nil)

    init(_ head: HTTPResponse, _ source: ResponseSource, _ body: ResponseBody = .empty) {
        self.head = head
        self.source = source
        self.body = body
    }

    /// Whether some bytes of the body could not be read.
    var hasFaulted: Bool { body.hasFaulted }

    /// The number of fields.
    var fieldCount: Int { head.headerFields.count }

    /// The whole body, which lives as long as the handle.
    var bytes: ByteSlice {
        if body.parts.count == 1 { return body.parts[0] }
        return joinedBody.withLock { joined in
            if let joined { return joined }
            let slice = ByteSlice(copying: body.array)
            joined = slice
            return slice
        }
    }

    /// The name and the value of a field; nil when there is none with this number.
    func field(at index: Int) -> (name: UnsafePointer<CChar>, value: UnsafePointer<CChar>)? {
        withTexts { texts in
            guard texts.fields.indices.contains(index) else { return nil }
            return (texts.fields[index].name.pointer, texts.fields[index].value.pointer)
        }
    }

    /// The value of the first field with this name.
    func value(of name: HTTPField.Name) -> UnsafePointer<CChar>? {
        head.headerFields.firstIndex { $0.name == name }.flatMap { field(at: $0)?.value }
    }

    /// The layer's name.
    var layer: UnsafePointer<CChar> { withTexts { $0.source.pointer } }

    /// The name of the bundle that covers the URL.
    var bundle: UnsafePointer<CChar>? { withTexts { $0.bundle?.pointer } }

    /// The bundle's version.
    var version: UnsafePointer<CChar>? { withTexts { $0.version?.pointer } }

    /// Makes the texts on first use.
    private func withTexts<Result>(_ body: (Texts) -> Result) -> Result {
        texts.withLock { texts in
            if let texts { return body(texts) }
            let release = source.release
            let made = Texts(
                fields: head.headerFields.map { (CText($0.name.rawName), CText($0.value)) },
                source: CText(source.layer.rawValue),
                bundle: release.map { CText($0.name.string) },
                version: release.map { CText($0.version.string) }
            )
            texts = made
            return body(made)
        }
    }
}
