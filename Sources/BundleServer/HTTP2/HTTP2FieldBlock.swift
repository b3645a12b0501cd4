/// A request's fields as they come out of HPACK, in memory that serves one request after the other: only one block can be
/// under way on a connection (RFC 9113 §4.3).
struct HTTP2FieldBlock {
    /// The fields that may decide a response.
    private(set) var decisive = HTTP2FieldBytes()
    /// The fields that decide no response from a bundle: an origin may still look at them.
    private(set) var incidental = HTTP2FieldBytes()
    /// Whether fields are missing, because there were too many or they were too long.
    private(set) var isTooLarge = false
    /// Whether it is so much too large that no mistake explains it: HPACK lets a byte stand for a whole field, and each has to
    /// be copied (RFC 7541 §7.3).
    private(set) var isExcessive = false

    private static let excess = 4
    private var count = 0
    private var byteCount = 0

    mutating func append(
        _ name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>,
        within limits: HTTP2Limits
    ) {
        count += 1
        // What is over the limit is counted and not kept.
        byteCount += name.count + value.count + 32
        guard count <= limits.maximumFieldCount, byteCount <= limits.maximumFieldListByteCount else {
            isTooLarge = true
            isExcessive = byteCount > Self.excess * limits.maximumFieldListByteCount
            return
        }
        if Self.isIncidental(name, value) { incidental.append(name, value) } else { decisive.append(name, value) }
    }

    /// Whether it is a HEAD, whose response has no content, even when it is a refusal (RFC 9110 §9.3.2).
    var isForHead: Bool {
        var isForHead = false
        decisive.forEach { name, value in
            if name.elementsEqual(":method".utf8) { isForHead = value.elementsEqual("HEAD".utf8) }
        }
        return isForHead
    }

    mutating func removeAll() {
        decisive.removeAll()
        incidental.removeAll()
        (isTooLarge, isExcessive, count, byteCount) = (false, false, 0, 0)
    }

    /// Whether no response from a bundle depends on a field, and its value changes from request to request or from client to
    /// client. Whatever isn't named here counts, and so do cookies that tell a page's version.
    private static func isIncidental(
        _ name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if name.elementsEqual("cookie".utf8) { return !PageCookie.mayBePresent(in: UnsafeRawBufferPointer(value)) }
        return incidentalNames.contains { candidate in
            candidate.utf8CodeUnitCount == name.count
                && name.elementsEqual(UnsafeBufferPointer(start: candidate.utf8Start, count: name.count))
        }
    }

    private static let incidentalNames: [StaticString] = [
        "user-agent", "referer", "priority", "accept-language", "sec-ch-ua", "sec-ch-ua-mobile",
        "sec-ch-ua-platform", "sec-fetch-site", "sec-fetch-user", "upgrade-insecure-requests",
    ]
}
