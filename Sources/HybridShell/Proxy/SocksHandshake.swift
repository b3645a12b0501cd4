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
