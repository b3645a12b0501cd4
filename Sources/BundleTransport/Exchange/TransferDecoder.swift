import CZlib
import HTTPCore

/// Undoes a transfer coding (RFC 9112 §7.2) in steps of a bounded size, each on demand: however much the content expands,
/// only one step of it is in memory.
///
/// Not thread-safe.
final class TransferDecoder {
    /// The maximum size of a step.
    static let stepByteCount = 64 << 10

    private let coding: TransferCoding
    // zlib keeps the stream's address, so the stream must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    /// A step, before it is copied in its size: what waits to be consumed holds no more memory than it has bytes.
    private let step = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: stepByteCount)
    private var input: [UInt8] = []
    private var position = 0
    /// Whether the coded data may end here.
    private var isAtEnd = false
    private var hasOutput = false

    /// - Throws: ``/HTTPCore/MalformedResponse/transferCoding`` when there is no memory.
    init(_ coding: TransferCoding) throws(MalformedResponse) {
        self.coding = coding
        stream.initialize(to: z_stream())
        // 15 is deflate's largest window; with 16 the format is gzip (zlib.h, inflateInit2).
        let windowBits: Int32 = coding == .gzip ? 15 + 16 : 15
        guard inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .transferCoding
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        step.deallocate()
    }

    /// Takes the next part of the coded content, once ``next()`` has returned nil.
    func feed(_ content: [UInt8]) {
        input = content
        position = 0
    }

    /// The next step of the content; nil when more of the coded content is needed.
    ///
    /// - Throws: ``/HTTPCore/MalformedResponse/transferCoding`` when the data isn't in the coding.
    func next() throws(MalformedResponse) -> [UInt8]? {
        while position < input.count || hasOutput {
            let step = try decode()
            if !step.isEmpty { return step }
        }
        return nil
    }

    /// Checks that the data is complete.
    func checkEnd() throws(MalformedResponse) {
        guard isAtEnd else { throw .transferCoding }
    }

    private func decode() throws(MalformedResponse) -> [UInt8] {
        try beginMember()
        stream.pointee.next_out = step.baseAddress
        stream.pointee.avail_out = uInt(step.count)
        let (status, rest) = input.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress.map { $0 + position }
            stream.pointee.avail_in = uInt(clamping: input.count - position)
            let status = inflate(stream, Z_NO_FLUSH)
            return (status, Int(stream.pointee.avail_in))
        }
        position = input.count - rest
        stream.pointee.next_in = nil
        let outputCount = step.count - Int(stream.pointee.avail_out)
        isAtEnd = status == Z_STREAM_END
        hasOutput = !isAtEnd && outputCount == step.count
        // Z_BUF_ERROR: there was nothing more to do, which isn't an error (zlib.h, inflate).
        guard status == Z_OK || isAtEnd || status == Z_BUF_ERROR && position == input.count else {
            throw .transferCoding
        }
        return Array(step.prefix(outputCount))
    }

    /// Several members of gzip are one content (RFC 1952 §2.2); after the end of the zlib format nothing may come.
    private func beginMember() throws(MalformedResponse) {
        guard isAtEnd else { return }
        guard coding == .gzip, inflateReset(stream) == Z_OK else { throw .transferCoding }
        isAtEnd = false
    }
}
