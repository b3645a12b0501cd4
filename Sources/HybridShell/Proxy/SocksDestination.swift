/// Where a client of SOCKS wants to be connected to.
struct SocksDestination: Hashable, Sendable {
    /// A name in lower case, or an address; of IPv6 without brackets.
    let host: String
    /// 0 to 65535.
    let port: Int
}

extension SocksDestination {
    /// The destination of a complete request (RFC 1928 §5); nil for a name that isn't one.
    init?(_ request: [UInt8]) {
        guard let end = Self.byteCount(of: request), request.count >= end else { return nil }
        let address = request[4..<(end - 2)]
        switch request[3] {
        case 1: host = address.map(String.init).joined(separator: ".")
        case 3:
            let name = address.dropFirst()
            guard !name.isEmpty, name.allSatisfy({ (0x21..<0x7f).contains($0) && $0 != UInt8(ascii: "/") }) else {
                return nil
            }
            host = String(decoding: name, as: UTF8.self).lowercased()
        default:
            let groups = stride(from: 4, to: 20, by: 2).map { Int(request[$0]) << 8 | Int(request[$0 + 1]) }
            host = groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        port = Int(request[end - 2]) << 8 | Int(request[end - 1])
    }

    /// The length of the request of which at least five bytes are there; nil for an unknown type of address.
    static func byteCount(of request: [UInt8]) -> Int? {
        switch request[3] {
        case 1: 4 + 4 + 2
        case 3: 4 + 1 + Int(request[4]) + 2
        case 4: 4 + 16 + 2
        default: nil
        }
    }
}
