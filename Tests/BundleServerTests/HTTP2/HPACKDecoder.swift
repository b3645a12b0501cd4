import CNghttp2

/// Decodes a connection's field blocks one after the other (RFC 7541). For use in one task.
final class HPACKDecoder {
    private let library: OpaquePointer

    init() throws {
        var library: OpaquePointer?
        nghttp2_hd_inflate_new(&library)
        struct OutOfMemory: Error {}
        guard let library else { throw OutOfMemory() }
        self.library = library
    }

    deinit {
        nghttp2_hd_inflate_del(library)
    }

    func fields(_ block: [UInt8]) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        var rest = block[...]
        while true {
            var (field, flags) = (nghttp2_nv(), Int32(0))
            let count = rest.withUnsafeBufferPointer {
                nghttp2_hd_inflate_hd2(library, &field, &flags, $0.baseAddress, $0.count, 1)
            }
            guard count >= 0 else { return [] }
            rest = rest.dropFirst(count)
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                fields.append((text(field.name, field.namelen), text(field.value, field.valuelen)))
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                nghttp2_hd_inflate_end_headers(library)
                return fields
            }
        }
    }

    private func text(_ start: UnsafePointer<UInt8>?, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
