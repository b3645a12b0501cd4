import BundleModel

/// The hosts that are reached without a proxy (`NO_PROXY`). Names aren't looked up for it: a network excludes only the
/// addresses that a URL has itself. A value type.
struct ProxyExclusions: Hashable, Sendable {
    private enum Entry: Hashable, Sendable {
        case all
        /// A name in lower case, and its subdomains.
        case name(String, port: Int?)
        case network(NetworkAddress, bitCount: Int, port: Int?)
    }

    private let entries: [Entry]

    /// Reads a list that commas or blanks separate. An entry that can't be understood excludes nothing.
    init(_ text: String) {
        entries = text.split { $0 == "," || $0.isWhitespace }.compactMap(Self.entry)
    }

    /// - Parameters:
    ///   - host: In lower case, an IPv6 address without its brackets.
    ///   - port: What is connected to there.
    func contains(_ host: String, port: Int) -> Bool {
        let address = NetworkAddress(lookedUp: host)
        return entries.contains { entry in
            switch entry {
            case .all: true
            case .name(let name, let number):
                address == nil && (host == name || host.hasSuffix(".\(name)")) && number ?? port == port
            case .network(let network, let bitCount, let number):
                address?.hasPrefix(network, bitCount: bitCount) == true && number ?? port == port
            }
        }
    }

    private static func entry(_ text: Substring) -> Entry? {
        guard text != "*" else { return .all }
        if let network = network(text, port: nil) { return network }
        let (host, port) = splitPort(text)
        if let network = network(host[...].withoutBrackets, port: port) { return network }
        // “.example.com” and “*.example.com” are as “example.com”, as in curl.
        let name = host.drop { $0 == "*" }.drop { $0 == "." }.lowercased()
        return name.isEmpty ? nil : .name(String(name), port: port)
    }

    /// An address, or a network by the number of its bits.
    private static func network(_ text: some StringProtocol, port: Int?) -> Entry? {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard let first = parts.first, let address = NetworkAddress(String(first).withoutBrackets) else { return nil }
        let maximum = address.bytes.count * 8
        guard parts.count > 1 else { return .network(address, bitCount: maximum, port: port) }
        guard let bitCount = Int(parts[1]), (0...maximum).contains(bitCount) else { return nil }
        return .network(address, bitCount: bitCount, port: port)
    }

    private static func splitPort(_ text: Substring) -> (host: Substring, port: Int?) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]) else {
            return (text, nil)
        }
        return (text[..<colon], port)
    }
}

extension Substring {
    fileprivate var withoutBrackets: String { String(self).withoutBrackets }
}
