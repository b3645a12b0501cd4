import BundleModel


/// Several parts of a content in one body: `multipart/byteranges` (RFC 9110 §14.6).
package struct MultipartByteRanges {
    package let boundary: String
    package let body: ResponseBody

    /// - Parameters:
    ///   - ranges: The parts, each inside `content`.
    ///   - contentType: The `Content-Type` of the whole content, repeated in every part (§15.3.7.2).
    ///   - tag: The content's tag, if any.
    package init(_ ranges: [Range<Int>], of content: ByteSlice, contentType: String?, tag: EntityTag?) {
        boundary = Self.boundary(ranges, length: content.count, tag: tag)
        var parts: [ByteSlice] = []
        for (index, range) in ranges.enumerated() {
            var head = index == 0 ? "--\(boundary)\r\n" : "\r\n--\(boundary)\r\n"
            if let contentType { head += "Content-Type: \(contentType)\r\n" }
            head += "Content-Range: \(ContentRange.value(range, length: content.count))\r\n\r\n"
            parts.append(ByteSlice(copying: Array(head.utf8)))
            parts.append(content[range])
        }
        parts.append(ByteSlice(copying: Array("\r\n--\(boundary)--\r\n".utf8)))
        body = ResponseBody(parts)
    }

    package var contentType: String { "multipart/byteranges; boundary=\(boundary)" }

    /// 128 bits of a hash. It is the same for the same response, and content contains it only by an accident as rare as
    /// a hash collision: the hash includes the content's tag, which comes from its digest.
    private static func boundary(_ ranges: [Range<Int>], length: Int, tag: EntityTag?) -> String {
        let seed = "\(tag?.fieldValue ?? "") \(length) \(ranges)"
        return String(Digest(of: Array(seed.utf8)).hex.prefix(32))
    }
}
