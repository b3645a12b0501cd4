import CNghttp2
import HTTPTypes

/// A response's status and fields in libnghttp2's format, without `Date`. It can be used for any number of requests.
///
/// `@unchecked Sendable`: the memory is written in `init` alone and lives until `deinit`.
final class HTTP2ResponseHead: @unchecked Sendable {
    let status: HTTPResponse.Status

    private let memory: UnsafeMutableBufferPointer<UInt8>
    private let fields: UnsafeMutableBufferPointer<nghttp2_nv>
    private let isDated: Bool

    /// Leaves out connection-specific fields (RFC 9113 §8.2.2).
    convenience init(_ response: HTTPResponse) {
        self.init(
            [(":status", Array(String(response.status.code).utf8))] + Self.lines(of: response.headerFields),
            status: response.status,
            isDated: response.headerFields.contains(.date)
        )
    }

    /// A trailer section, for ``withCopiedFields(_:)``.
    convenience init(trailers: HTTPFields) {
        self.init(Self.lines(of: trailers), status: .ok, isDated: true)
    }

    private init(_ lines: [Line], status: HTTPResponse.Status, isDated: Bool) {
        memory = .allocate(capacity: lines.reduce(0) { $0 + $1.name.utf8.count + $1.value.count })
        fields = .allocate(capacity: lines.count)
        (self.status, self.isDated) = (status, isDated)
        var offset = 0
        for (index, line) in lines.enumerated() {
            let name = Self.copy(Array(line.name.utf8), to: memory, &offset)
            let value = Self.copy(line.value, to: memory, &offset)
            fields.initializeElement(
                at: index,
                to: nghttp2_nv(
                    name: name.baseAddress,
                    value: value.baseAddress,
                    namelen: name.count,
                    valuelen: value.count,
                    flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
                )
            )
        }
    }

    deinit {
        fields.deallocate()
        memory.deallocate()
    }

    /// Calls `body` with the fields, which are valid only during the call; the memory of the kept ones lives as long as
    /// this object.
    ///
    /// - Parameters:
    ///   - date: The value of `Date`, unless the response has its own; copied by libnghttp2.
    ///   - part: The part of the content that is sent; nil when the fields already describe it.
    func withFields<Result>(
        date: [UInt8],
        part: ContentPart?,
        _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        var added: [(name: StaticString, value: [UInt8])] = []
        if !isDated { added.append(("date", date)) }
        if let part {
            added.append(("content-range", part.contentRange))
            added.append(("content-length", part.contentLength))
        }
        return withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count + added.count) { all in
            _ = all.initialize(from: fields)
            return Self.append(added[...], to: all, from: fields.count, body)
        }
    }

    /// Calls `body` with the fields alone, which libnghttp2 copies.
    func withCopiedFields<Result>(_ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count) { all in
            for (index, field) in fields.enumerated() {
                var field = field
                field.flags = UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)
                all.initializeElement(at: index, to: field)
            }
            return body(all)
        }
    }

    /// Recursive, because each value's pointer is valid only in a closure.
    private static func append<Result>(
        _ added: ArraySlice<(name: StaticString, value: [UInt8])>,
        to all: UnsafeMutableBufferPointer<nghttp2_nv>,
        from index: Int,
        _ body: (UnsafeMutableBufferPointer<nghttp2_nv>) -> Result
    ) -> Result {
        guard let first = added.first else { return body(all) }
        return first.value.withUnsafeBufferPointer { value in
            all.initializeElement(at: index, to: field(first.name, value))
            return append(added.dropFirst(), to: all, from: index + 1, body)
        }
    }

    private static func field(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) -> nghttp2_nv {
        name.withUTF8Buffer { name in
            nghttp2_nv(
                // libnghttp2 only reads through both pointers.
                name: UnsafeMutablePointer(mutating: name.baseAddress),
                value: UnsafeMutablePointer(mutating: value.baseAddress),
                namelen: name.count,
                valuelen: value.count,
                flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
            )
        }
    }

    private typealias Line = (name: String, value: [UInt8])

    private static func lines(of fields: HTTPFields) -> [Line] {
        fields.filter { !connectionNames.contains($0.name) }.map { field in
            // As they are: values need not be UTF-8 (RFC 9110 §5.5).
            (field.name.canonicalName, field.withUnsafeBytesOfValue { Array($0) })
        }
    }

    private static let connectionNames: [HTTPField.Name] = [.connection, .transferEncoding, .upgrade, .keepAlive]

    private static func copy(
        _ text: [UInt8],
        to memory: UnsafeMutableBufferPointer<UInt8>,
        _ offset: inout Int
    ) -> UnsafeMutableBufferPointer<UInt8> {
        let part = UnsafeMutableBufferPointer(rebasing: memory[offset..<offset + text.count])
        _ = part.initialize(from: text)
        offset += part.count
        return part
    }
}

extension HTTPField.Name {
    fileprivate static let keepAlive = HTTPField.Name("Keep-Alive")!
}
