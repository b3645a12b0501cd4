import BundleEmbedding
import BundleStore
import CBundle
import Testing

@testable import BundleCInterface

@Suite("Options of a client in C")
struct ClientOptionsTests {
    private static let digest = String(repeating: "0a", count: 32)

    private static func options(_ change: (inout ob_options) -> Void) throws -> ClientOptions {
        var options = ob_options()
        options.size = MemoryLayout<ob_options>.size
        change(&options)
        return try ClientOptions(&options, ClientCallbacks())
    }

    @Test("zeros mean the defaults, and so does no structure")
    func defaults() throws {
        for options in [try Self.options { _ in }, try ClientOptions(nil, ClientCallbacks())] {
            #expect(options.configuration.cacheLimits == CacheLimits())
            #expect(options.configuration.maximumCachedByteCount == 64 << 20)
            #expect(options.configuration.countsUse && options.configuration.survivesFaults)
            #expect(options.log == nil)
        }
    }

    @Test("limits of the cache are taken, however large, and OB_NO_CACHE keeps nothing")
    func limits() throws {
        let limited = try Self.options { options in
            options.cache_byte_count = 5
            options.cached_body_byte_count = .max
        }
        #expect(limited.configuration.cacheLimits.maximumByteCount == 5)
        #expect(limited.configuration.maximumCachedByteCount == .max)
        let empty = try Self.options { options in
            options.flags = ob_option_flags(OB_NO_CACHE)
            options.cache_byte_count = 5
        }
        #expect(empty.configuration.cacheLimits.maximumByteCount == 0)
        #expect(empty.configuration.maximumCachedByteCount == 0)
    }

    @Test("OB_OFFLINE means no network")
    func offline() throws {
        #expect(try Self.options { $0.flags = ob_option_flags(OB_OFFLINE) }.transport == nil)
    }

    @Test(
        "groups are names with commas between them",
        arguments: [("lab", ["lab"]), ("lab,qa", ["lab", "qa"]), ("", nil), ("lab,,qa", nil), ("a b", nil)]
            as [(String, Set<String>?)]
    )
    func groups(_ text: String, _ groups: Set<String>?) throws {
        let taken = text.withCString { text in
            Result { try Self.options { $0.groups = text }.configuration.updates.groups }
        }
        if let groups {
            #expect(try taken.get() == groups)
        } else {
            let error = #expect(throws: BundleError.self) { try taken.get() }
            #expect(error?.code == .invalidArgument)
        }
        let none = try Self.options { _ in }.configuration.updates.groups
        #expect(none == [])
    }

    @Test("a root is given by its digest, or not at all", arguments: ["sha256:\(Self.digest)", Self.digest, "x", nil])
    func roots(_ digest: String?) throws {
        try "shop".withCString { name in
            try (digest ?? "").withCString { text in
                var root = ob_root(bundle: name, document: nil, length: 0, sha256: digest == nil ? nil : text)
                try withUnsafePointer(to: &root) { root in
                    let change: (inout ob_options) -> Void = { options in
                        options.flags = ob_option_flags(OB_REQUIRES_TRUST)
                        (options.roots, options.root_count) = (root, 1)
                    }
                    guard digest?.hasSuffix(Self.digest) == true else {
                        let error = #expect(throws: BundleError.self) { try Self.options(change) }
                        #expect(error?.code == .invalidArgument)
                        return
                    }
                    let updates = try Self.options(change).configuration.updates
                    #expect(updates.requiresTrust)
                    #expect(updates.roots.mapValues(\.sha256) == ["shop": Self.digest])
                }
            }
        }
    }

    @Test("a root's document has to be one, and excludes a digest")
    func documents() {
        Self.digest.withCString { digest in
            for text in [nil, digest] {
                let bytes = Array("{}".utf8)
                "shop".withCString { name in
                    bytes.withUnsafeBytes { bytes in
                        var root = ob_root(bundle: name, document: bytes.baseAddress, length: bytes.count, sha256: text)
                        withUnsafePointer(to: &root) { root in
                            let error = #expect(throws: BundleError.self) {
                                try Self.options { ($0.roots, $0.root_count) = (root, 1) }
                            }
                            #expect(error?.code == .invalidArgument)
                        }
                    }
                }
            }
        }
    }

    @Test("a network that can't be used is refused", arguments: ["proxy", "ca", "certificate", "hosts", "size"])
    func network(_ fault: String) {
        "ftp://proxy.example:3128".withCString { proxy in
            "/nonexistent/ca.pem".withCString { path in
                var network = ob_network()
                network.size = fault == "size" ? 0 : MemoryLayout<ob_network>.size
                if fault == "proxy" { network.proxy = proxy }
                if fault == "ca" { network.added_ca_file = path }
                if fault == "certificate" { network.client_certificate = path }
                if fault == "hosts" { network.client_hosts = path }
                _ = withUnsafePointer(to: &network) { network in
                    #expect(throws: BundleError.self) { try Self.options { $0.network = network } }
                }
            }
        }
    }

    @Test("a transport of the program's own and a network exclude each other")
    func both() {
        var network = ob_network()
        network.size = MemoryLayout<ob_network>.size
        var transport = ob_transport(
            size: MemoryLayout<ob_transport>.size,
            context: nil,
            send: { _, _ in },
            cancel: nil
        )
        withUnsafePointer(to: &network) { network in
            withUnsafePointer(to: &transport) { transport in
                #expect(throws: Never.self) { try Self.options { $0.transport = transport } }
                #expect(throws: BundleError.self) {
                    try Self.options { options in
                        options.transport = transport
                        options.network = network
                    }
                }
            }
        }
    }
}
