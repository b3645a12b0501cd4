import BundleServing
import BundleStore
public import CBundle
import HTTPTypes
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_method(_ exchange: OpaquePointer) -> UnsafePointer<CChar> {
    Handle<ExchangeHandle>.object(exchange).method.pointer
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_url(_ exchange: OpaquePointer) -> UnsafePointer<CChar> {
    Handle<ExchangeHandle>.object(exchange).url.pointer
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_field_count(_ exchange: OpaquePointer) -> Int {
    Handle<ExchangeHandle>.object(exchange).fields.count
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_field_name(_ exchange: OpaquePointer, _ index: Int) -> UnsafePointer<CChar>? {
    Handle<ExchangeHandle>.object(exchange).field(at: index)?.name.pointer
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_field_value(_ exchange: OpaquePointer, _ index: Int) -> UnsafePointer<CChar>? {
    Handle<ExchangeHandle>.object(exchange).field(at: index)?.value.pointer
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_has_content(_ exchange: OpaquePointer) -> Bool {
    Handle<ExchangeHandle>.object(exchange).exchange.content != nil
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_read_content(
    _ exchange: OpaquePointer,
    _ buffer: UnsafeMutableRawPointer,
    _ capacity: Int,
    _ count: UnsafeMutablePointer<Int>,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let exchange = Handle<ExchangeHandle>.object(exchange)
    count.pointee = 0
    return reporting(error) {
        let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: capacity > 0 ? capacity : 0)
        count.pointee = try exchange.readContent(into: buffer)
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_respond(
    _ exchange: OpaquePointer,
    _ status: Int32,
    _ fields: UnsafePointer<ob_field>?,
    _ field_count: Int,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> ob_status {
    let exchange = Handle<ExchangeHandle>.object(exchange).exchange
    return reporting(error) {
        let fields = UnsafeBufferPointer(start: fields, count: fields == nil || field_count < 0 ? 0 : field_count)
        try exchange.respond(try ExchangeHead.response(status, fields))
    }
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_write(_ exchange: OpaquePointer, _ bytes: UnsafeRawPointer?, _ length: Int) -> Bool {
    Handle<ExchangeHandle>.object(exchange).exchange
        .write(UnsafeRawBufferPointer(start: bytes, count: bytes == nil || length < 0 ? 0 : length))
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_finish(_ exchange: OpaquePointer) { Handle<ExchangeHandle>.object(exchange).exchange.finish() }

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_fail(_ exchange: OpaquePointer, _ problem: UnsafePointer<CChar>) {
    Handle<ExchangeHandle>.object(exchange).exchange.fail(ExchangeHead.problem(problem))
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_retain(_ exchange: OpaquePointer) -> OpaquePointer {
    Handle<ExchangeHandle>.retain(exchange)
    return exchange
}

/// See `offline_bundles.h`.
@c @implementation
public func ob_exchange_free(_ exchange: OpaquePointer?) { Handle<ExchangeHandle>.release(exchange) }

/// What an `ob_exchange` is: the program's side of an exchange. Thread-safe.
final class ExchangeHandle: Sendable {
    let exchange: Exchange
    let method: CText
    let url: CText
    let fields: [(name: CText, value: CText)]
    private let content: ContentReader

    init(_ exchange: Exchange) {
        let request = exchange.request
        self.exchange = exchange
        method = CText(request.method.rawValue)
        url = CText("\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
        fields = request.headerFields.map { (CText($0.name.rawName), CText($0.value)) }
        content = ContentReader(exchange.content ?? BodyStream([]))
    }

    deinit {
        exchange.fail("the program gave the request up")
    }

    /// Nil when there is none with this number.
    func field(at index: Int) -> (name: CText, value: CText)? {
        fields.indices.contains(index) ? fields[index] : nil
    }

    /// - Returns: The number of bytes; 0 at the end.
    /// - Throws: `CancellationError` after the end of the exchange; as ``ContentReader/read(into:)``.
    func readContent(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard !exchange.hasEnded else { throw CancellationError() }
        return try content.read(into: buffer)
    }
}

/// Reads a request's content for a thread of C's.
///
/// Unchecked: one thread at a time gets past ``isReading``.
private final class ContentReader: @unchecked Sendable {
    private let isReading = Atomic(false)
    private var chunks: BodyStream.AsyncIterator
    private var rest: ArraySlice<UInt8> = []

    init(_ content: BodyStream) {
        chunks = content.makeAsyncIterator()
    }

    /// - Returns: The number of bytes; 0 at the end.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` while another thread reads, and for an empty buffer; what reading
    ///   the content throws.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard !buffer.isEmpty else { throw BundleError(.invalidArgument, "the buffer has no room; give a larger one") }
        guard !isReading.exchange(true, ordering: .acquiring) else {
            throw BundleError(.invalidArgument, "another thread reads the content; wait for it")
        }
        defer { isReading.store(false, ordering: .releasing) }
        while rest.isEmpty {
            guard let chunk = try Waiting.run({ [self] _ in try await next() }) else { return 0 }
            rest = chunk[...]
        }
        let part = rest.prefix(buffer.count)
        buffer.copyBytes(from: part)
        rest = rest.dropFirst(part.count)
        return part.count
    }

    private func next() async throws -> [UInt8]? { try await chunks.next() }
}

/// The head of a response from the program.
enum ExchangeHead {
    /// The most fields, and the most bytes of their names and values.
    static let maximumFieldCount = 1_024, maximumByteCount = 256 << 10
    /// The longest reason of a failure, in bytes.
    private static let maximumReasonByteCount = 512

    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` for a head that isn't one, or is too long.
    static func response(_ status: Int32, _ fields: UnsafeBufferPointer<ob_field>) throws(BundleError) -> HTTPResponse {
        guard (200...599).contains(status) else {
            throw BundleError(
                .invalidArgument,
                "\(status) is not the status of a final response; give one from 200 to 599"
            )
        }
        guard fields.count <= maximumFieldCount else { throw tooLong }
        var head = HTTPFields()
        var byteCount = 0
        for field in fields {
            let field = try CArgument.field(field)
            byteCount += field.name.rawName.utf8.count + field.value.utf8.count
            guard byteCount <= maximumByteCount else { throw tooLong }
            head.append(field)
        }
        return HTTPResponse(status: .init(code: Int(status)), headerFields: head.removingConnectionFields())
    }

    /// Why the program has no response.
    static func problem(_ pointer: UnsafePointer<CChar>) -> String {
        let text = String(
            decoding: UnsafeRawBufferPointer(start: pointer, count: strnlen(pointer, maximumReasonByteCount)),
            as: UTF8.self
        )
        return Printable.text(text)
    }

    private static var tooLong: BundleError {
        BundleError(
            .invalidArgument,
            "the head has more than \(maximumFieldCount) fields or \(maximumByteCount) bytes; leave some out"
        )
    }
}
