/// Bytes in one piece.
public protocol ContiguousBytes {
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
}

/// Bytes.
public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}

extension Array: DataProtocol where Element == UInt8 {}
extension ArraySlice: DataProtocol where Element == UInt8 {}
extension UnsafeRawBufferPointer: DataProtocol {}

/// Bytes. A value type.
public struct Data: DataProtocol, MutableCollection, RangeReplaceableCollection, Hashable, Sendable {
    private var bytes: [UInt8]

    public init() { bytes = [] }
    public init<Bytes: Sequence>(_ bytes: Bytes) where Bytes.Element == UInt8 { self.bytes = Array(bytes) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { bytes.count }
    public subscript(index: Int) -> UInt8 {
        get { bytes[index] }
        set { bytes[index] = newValue }
    }
    public subscript(range: Range<Int>) -> ArraySlice<UInt8> {
        get { bytes[range] }
        set { bytes[range] = newValue }
    }

    public mutating func replaceSubrange<Bytes: Collection>(_ range: Range<Int>, with new: Bytes)
    where Bytes.Element == UInt8 {
        bytes.replaceSubrange(range, with: new)
    }

    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        try bytes.withContiguousStorageIfAvailable(body)
    }
}
