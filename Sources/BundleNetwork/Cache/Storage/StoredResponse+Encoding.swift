import BundleStore
import Foundation
import HTTPTypes

/// A stored response as bytes, as the catalog keeps it: a byte for the format, status, marks, times and body length, the
/// URL, the fields, and the user if it has one. Numbers are little-endian; texts and values follow their length.
extension StoredResponse {
    private static let format: UInt8 = 1

    /// The bits of the marks.
    private struct Marks: OptionSet {
        static let shareable = Marks(rawValue: 1)
        static let offlineCopy = Marks(rawValue: 2)
        static let ofUser = Marks(rawValue: 4)
        static let all: Marks = [.shareable, .offlineCopy, .ofUser]

        let rawValue: UInt8
    }

    private var marks: Marks {
        var marks = Marks()
        if isShareable { marks.insert(.shareable) }
        if isOfflineCopy { marks.insert(.offlineCopy) }
        if user != nil { marks.insert(.ofUser) }
        return marks
    }

    /// The response as bytes, which ``init(encoded:)`` reads.
    package var encoded: [UInt8] {
        var bytes = [Self.format]
        bytes.appendLittleEndian(UInt16(clamping: status))
        bytes.append(marks.rawValue)
        bytes.appendLittleEndian(requestTime.timeIntervalSinceReferenceDate.bitPattern)
        bytes.appendLittleEndian(responseTime.timeIntervalSinceReferenceDate.bitPattern)
        bytes.appendLittleEndian(Int64(bodyLength))
        bytes.append(url.absoluteString.utf8)
        bytes.append(selectingFields)
        bytes.append(fields)
        user?.withUnsafeBytes { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Reads what ``encoded`` wrote.
    ///
    /// - Returns: Nil when the bytes aren't that, or a value is out of its range.
    package init?(encoded bytes: [UInt8]) {
        var reader = EncodedBytes(bytes)
        guard reader.integer(UInt8.self) == Self.format,
            let status = reader.integer(UInt16.self), (200...599).contains(status),
            let marks = reader.integer(UInt8.self).map(Marks.init), Marks.all.isSuperset(of: marks),
            let requestTime = reader.time(), let responseTime = reader.time(),
            let length = reader.integer(Int64.self), let bodyLength = Int(exactly: length), bodyLength >= 0,
            let text = reader.string(), let url = URL(string: text),
            let selectingFields = reader.fields(), let fields = reader.fields(),
            case let user = marks.contains(.ofUser) ? reader.digest() : nil, (user != nil) == marks.contains(.ofUser),
            reader.isAtEnd
        else { return nil }
        self.init(
            url: url,
            selectingFields: selectingFields,
            status: Int(status),
            fields: fields,
            isShareable: marks.contains(.shareable),
            requestTime: requestTime,
            responseTime: responseTime,
            bodyLength: bodyLength,
            user: user,
            isOfflineCopy: marks.contains(.offlineCopy)
        )
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: some Collection<UInt8>) {
        appendLittleEndian(UInt32(clamping: text.count))
        self += text
    }

    /// Values as they are, whether or not they are UTF-8.
    fileprivate mutating func append(_ fields: HTTPFields) {
        appendLittleEndian(UInt16(clamping: fields.count))
        for field in fields.prefix(Int(UInt16.max)) {
            append(field.name.rawName.utf8)
            field.withUnsafeBytesOfValue { append($0) }
        }
    }
}

/// Reads bytes from the start; each value is checked to be inside.
private struct EncodedBytes {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
        guard let value = bytes.withUnsafeBytes({ $0.littleEndian(type, at: position) }) else { return nil }
        position += MemoryLayout<Value>.size
        return value
    }

    mutating func time() -> Date? {
        guard let bits = integer(UInt64.self), case let interval = Double(bitPattern: bits), interval.isFinite else {
            return nil
        }
        return Date(timeIntervalSinceReferenceDate: interval)
    }

    mutating func value() -> ArraySlice<UInt8>? {
        guard let count = integer(UInt32.self), Int(count) <= bytes.count - position else { return nil }
        defer { position += Int(count) }
        return bytes[position..<position + Int(count)]
    }

    mutating func digest() -> Digest? {
        guard Digest.byteCount <= bytes.count - position else { return nil }
        defer { position += Digest.byteCount }
        return bytes[position..<position + Digest.byteCount].withUnsafeBytes { Digest(bytes: $0) }
    }

    mutating func string() -> String? {
        value().flatMap { String(validating: $0, as: UTF8.self) }
    }

    mutating func fields() -> HTTPFields? {
        guard let count = integer(UInt16.self) else { return nil }
        var fields = HTTPFields()
        for _ in 0..<count {
            guard let name = string().flatMap({ HTTPField.Name($0) }), let value = value() else { return nil }
            fields.append(HTTPField(name: name, lenientValue: value))
        }
        return fields
    }
}
