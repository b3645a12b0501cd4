import Testing

@testable import HybridShell

@Suite("The beginning of a SOCKS connection")
struct SocksHandshakeTests {
    static let credential = SocksCredential(name: "n", password: "pass")
    static let greeting: [UInt8] = [5, 2, 0, 2]
    static let login: [UInt8] = [1, 1, 0x6e, 4] + Array("pass".utf8)
    static let request: [UInt8] = [5, 1, 0, 3, 5] + Array("A.com".utf8) + [1, 0xbb]

    @Test("three messages lead to a destination, however they are cut", arguments: 1...20)
    func cut(_ size: Int) {
        var handshake = SocksHandshake(Self.credential)
        var steps: [SocksHandshake.Step] = []
        for message in [Self.greeting, Self.login, Self.request] {
            for start in stride(from: 0, to: message.count, by: size) {
                if let step = handshake.receive(Array(message[start..<min(start + size, message.count)])) {
                    steps.append(step)
                }
            }
        }
        let destination = SocksDestination(host: "a.com", port: 443)
        #expect(steps == [.send([5, 2]), .send([1, 0]), .connect(destination)])
    }

    @Test(
        "who doesn't have the password, or speaks something else, is refused",
        arguments: [
            ([[5, 1, 0]], [5, 0xff]), ([[4, 1, 0]], []), (["GET / HTTP/1.1\r\n".utf8.map { $0 }], []),
            ([greeting, [1, 1, 0x6e, 4] + Array("Pass".utf8)], [1, 1]), ([greeting, [1, 1, 0x6e, 0]], [1, 1]),
            ([greeting, [1, 0, 4] + Array("pass".utf8)], [1, 1]), ([greeting, [5, 1, 0]], []),
            ([greeting, login, [5, 2, 0, 3, 1, 0x61, 0, 1]], [5, 7, 0, 1, 0, 0, 0, 0, 0, 0]),
            ([greeting, login, [5, 1, 0, 9, 1]], [5, 8, 0, 1, 0, 0, 0, 0, 0, 0]),
            ([greeting, login, [5, 1, 0, 3, 2, 0x61, 0, 0, 1]], [5, 8, 0, 1, 0, 0, 0, 0, 0, 0]),
            ([[UInt8](repeating: 5, count: 600)], []),
        ] as [([[UInt8]], [UInt8])]
    )
    func refused(_ messages: [[UInt8]], _ reply: [UInt8]) {
        var handshake = SocksHandshake(Self.credential)
        var last: SocksHandshake.Step?
        for message in messages { last = handshake.receive(message) }
        #expect(last == .refuse(reply))
        #expect(handshake.receive([5, 1, 2]) == .refuse([]), "there is no second chance")
    }

    @Test(
        "addresses are text",
        arguments: [
            ([5, 1, 0, 1, 127, 0, 0, 1, 0, 80], SocksDestination(host: "127.0.0.1", port: 80)),
            (
                [5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 0, 80],
                SocksDestination(host: "0:0:0:0:0:0:0:1", port: 80)
            ),
        ] as [([UInt8], SocksDestination)]
    )
    func addresses(_ request: [UInt8], _ expected: SocksDestination) {
        #expect(SocksDestination(request) == expected)
    }

    @Test("each run has a password of its own")
    func random() {
        let credentials = (0..<4).map { _ in SocksCredential.random() }
        #expect(Set(credentials.map(\.password)).count == 4)
        #expect(credentials.allSatisfy { $0.password.utf8.count == 32 })
    }
}
