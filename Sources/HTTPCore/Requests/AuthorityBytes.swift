import BundleModel


/// The host and port of a request, as bytes.
package enum AuthorityBytes {
    /// Calls `body` with an authority in its canonical form: in lower case, without the scheme's default port.
    ///
    /// An empty port is the default one, and leading zeros are ignored (RFC 3986 §3.2.3).
    ///
    /// - Parameter scheme: Nil when the request has none; then the default ports of both schemes are dropped.
    @inline(__always)
    package static func withNormalised<Result>(
        _ authority: UnsafeRawBufferPointer,
        scheme: OriginURL.Scheme?,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: authority.count, alignment: 1) { memory in
            let (host, port) = split(authority)
            var count = 0
            for byte in host {
                memory[count] = byte.asciiLowercased
                count += 1
            }
            if let port, !isDefault(port, of: scheme) {
                memory[count] = UInt8(ascii: ":")
                memory[(count + 1)...].copyBytes(from: port)
                count += 1 + port.count
            }
            return body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
        }
    }

    /// The host of an authority.
    package static func host(of authority: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer { split(authority).host }

    /// The host, and the port without its leading zeros; nil when there is none or an empty one.
    private static func split(
        _ authority: UnsafeRawBufferPointer
    ) -> (host: UnsafeRawBufferPointer, port: UnsafeRawBufferPointer?) {
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")),
            case let port = authority[(colon + 1)...],
            // A colon inside an IPv6 address isn't followed by a port.
            port.allSatisfy(ASCII.isDigit)
        else { return (authority, nil) }
        let host = UnsafeRawBufferPointer(rebasing: authority[..<colon])
        guard !port.isEmpty else { return (host, nil) }
        return (host, UnsafeRawBufferPointer(rebasing: port.drop { $0 == UInt8(ascii: "0") }))
    }

    private static func isDefault(_ port: UnsafeRawBufferPointer, of scheme: OriginURL.Scheme?) -> Bool {
        switch scheme {
        case .http: port.elementsEqual("80".utf8)
        case .https: port.elementsEqual("443".utf8)
        case nil: port.elementsEqual("80".utf8) || port.elementsEqual("443".utf8)
        }
    }
}
