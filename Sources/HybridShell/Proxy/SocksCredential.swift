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
