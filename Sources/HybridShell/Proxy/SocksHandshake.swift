/// The server's side of the beginning of a SOCKS 5 connection (RFC 1928), with a user name and a password (RFC 1929). Pure:
/// bytes in, what to do out.
///
/// The client waits for each reply, so nothing follows a message before it has been replied to.
struct SocksHandshake {
    enum Step: Equatable {
        case send([UInt8])
        case connect(SocksDestination)
        /// To be sent, and the connection to be closed.
        case refuse([UInt8])
    }

    /// Of replies to the request (RFC 1928 §6); the bound address is of no use to a client that connects.
    enum Reply: UInt8 {
        case succeeded = 0
        case hostUnreachable = 4
        case commandNotSupported = 7
        case addressNotSupported = 8

        var bytes: [UInt8] { [5, rawValue, 0, 1, 0, 0, 0, 0, 0, 0] }
    }

    private enum State { case greeting, credential, request, done }

    private let credential: SocksCredential
    private var state = State.greeting
    private var bytes: [UInt8] = []

    init(_ credential: SocksCredential) {
        self.credential = credential
    }

    /// Takes bytes of the client; nil while the message isn't complete.
    mutating func receive(_ new: [UInt8]) -> Step? {
        bytes += new
        // No message is longer: version, length, name, length, password.
        guard bytes.count <= 513 else { return refuse([]) }
        switch state {
        case .greeting: return greet()
        case .credential: return authenticate()
        case .request: return request()
        case .done: return refuse([])
        }
    }

    private mutating func greet() -> Step? {
        guard bytes.first == 5 else { return bytes.isEmpty ? nil : refuse([]) }
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return nil }
        // Only with the password: every program of this machine can connect.
        guard bytes[2..<(2 + Int(bytes[1]))].contains(2) else { return refuse([5, 0xff]) }
        return next(.credential, [5, 2])
    }

    private mutating func authenticate() -> Step? {
        guard bytes.first == 1 else { return bytes.isEmpty ? nil : refuse([]) }
        guard bytes.count >= 2 else { return nil }
        let nameEnd = 2 + Int(bytes[1])
        guard bytes.count > nameEnd, bytes.count > nameEnd + Int(bytes[nameEnd]) else { return nil }
        let password = bytes[(nameEnd + 1)..<(nameEnd + 1 + Int(bytes[nameEnd]))]
        guard credential.isSame(name: bytes[2..<nameEnd], password: password) else { return refuse([1, 1]) }
        return next(.request, [1, 0])
    }

    private mutating func request() -> Step? {
        guard bytes.first == 5 else { return bytes.isEmpty ? nil : refuse([]) }
        guard bytes.count >= 5 else { return nil }
        guard bytes[1] == 1 else { return refuse(Reply.commandNotSupported.bytes) }
        guard let length = SocksDestination.byteCount(of: bytes) else { return refuse(Reply.addressNotSupported.bytes) }
        guard bytes.count >= length else { return nil }
        guard let destination = SocksDestination(bytes) else { return refuse(Reply.addressNotSupported.bytes) }
        state = .done
        return .connect(destination)
    }

    private mutating func next(_ state: State, _ reply: [UInt8]) -> Step {
        self.state = state
        bytes = []
        return .send(reply)
    }

    private mutating func refuse(_ reply: [UInt8]) -> Step {
        state = .done
        return .refuse(reply)
    }
}

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

/// What the web view proves to the proxy that it is this process's: made for one run, and told to nobody else. Without it any
/// program of this machine, of any user, could read the bundles and the cache.
struct SocksCredential: Sendable {
    let name: String
    let password: String

    init(name: String = "hybrid-shell", password: String) {
        (self.name, self.password) = (name, password)
    }

    /// A new one: 128 random bits of the system's generator.
    static func random() -> SocksCredential {
        var generator = SystemRandomNumberGenerator()
        let words = (0..<2).map { _ in generator.next() as UInt64 }
        let text = words.map { String($0, radix: 16) }.map { String(repeating: "0", count: 16 - $0.count) + $0 }
        return SocksCredential(password: text.joined())
    }

    /// The proxy's URL for the web view.
    func proxyURL(port: Int) -> String { "socks5://\(name):\(password)@127.0.0.1:\(port)" }

    /// Takes the same time wherever the bytes differ.
    func isSame(name: ArraySlice<UInt8>, password: ArraySlice<UInt8>) -> Bool {
        let expected = Array(self.password.utf8)
        guard Array(name) == Array(self.name.utf8), password.count == expected.count else { return false }
        return zip(password, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
