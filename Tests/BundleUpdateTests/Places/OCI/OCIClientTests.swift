import BundleModel
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Testing

@testable import BundleUpdate

/// What is sent to a registry, and where it leads.
struct OCIClientTests {
    private static let content = Array("0123456789".utf8)
    private static let digest = Digest(of: content)
    private static let store = "https://store.example.com/blob?X-Signature=secret"

    private static func client(_ registry: MemoryRegistry, password: Bool = true) throws -> OCIClient {
        OCIClient(try OCIReference(MemoryRegistry.reference), .pullAndPush, over: registry) { _ in
            password ? RegistryCredential(user: "user", secret: "secret") : nil
        }
    }

    /// A registry with a password whose blobs are elsewhere.
    private static func redirecting(
        to location: String = store,
        _ answer: @escaping @Sendable (HTTPRequest) -> OriginResponse = { .part(of: content, for: $0) }
    ) -> MemoryRegistry {
        let registry = MemoryRegistry()
        registry.add(content, titled: "a.zip")
        registry.interception = { request in
            if request.authority != "registry.example.com" { return answer(request) }
            guard request.headerFields[.authorization] != nil else {
                return MemoryRegistry.error(.unauthorized, "UNAUTHORIZED", [.wwwAuthenticate: #"Basic realm="r""#])
            }
            guard request.path?.contains("/blobs/") == true else { return nil }
            return OriginResponse(.temporaryRedirect, [.location: location], "")
        }
        return registry
    }

    private static func read(_ client: OCIClient, _ range: Range<Int64>? = nil) async throws -> String {
        let bytes = try await client.blob(digest, range).body.bytes(atMost: 100)
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    @Test func `a blob comes from where the registry has it, without the credential`() async throws {
        let registry = Self.redirecting()
        let client = try Self.client(registry)
        #expect(try await Self.read(client) == "0123456789")
        #expect(try await Self.read(client, 3..<5) == "34")
        let elsewhere = registry.requests.filter { $0.authority == "store.example.com" }
        #expect(elsewhere.map { $0.headerFields[.authorization] } == [nil, nil])
        #expect(elsewhere.map { $0.headerFields[.range] } == [nil, "bytes=3-4"])
        #expect(elsewhere.map(\.path) == ["/blob?X-Signature=secret", "/blob?X-Signature=secret"])
    }

    @Test(arguments: [
        "http://store.example.com/blob?k=secret", "ftp://store.example.com/", "", "https://u:secret@s.example.com/",
    ])
    func `no redirect leads away from https, and a refusal shows no signature`(_ location: String) async throws {
        let registry = Self.redirecting(to: location)
        let error = await #expect(throws: BundleError.self) { try await Self.read(Self.client(registry)) }
        #expect(error?.code == .networkUnavailable && error?.message.contains("secret") == false)
        #expect(registry.requests.allSatisfy { $0.authority == "registry.example.com" })
    }

    @Test func `redirects end, and a 401 elsewhere gets no token`() async throws {
        let loop = Self.redirecting { _ in OriginResponse(.found, [.location: Self.store], "") }
        let error = await #expect(throws: BundleError.self) { try await Self.read(Self.client(loop)) }
        #expect(error?.message.contains("redirected over 5 times") == true)
        let asking = Self.redirecting { _ in
            OriginResponse(.unauthorized, [.wwwAuthenticate: #"Bearer realm="https://evil.example.com/""#], "")
        }
        await #expect(throws: BundleError.self) { try await Self.read(Self.client(asking)) }
        #expect(
            asking.requests.map(\.authority) == ["registry.example.com", "registry.example.com", "store.example.com"]
        )
    }

    @Test func `a redirect that comes back has the credential again`() async throws {
        let registry = Self.redirecting { _ in
            OriginResponse(.found, [.location: "https://registry.example.com/v2/kiosk/shop/manifests/feed"], "")
        }
        registry.publish([:])
        #expect(try await Self.client(registry).blob(Self.digest).head.status == .ok)
        #expect(registry.requests.last?.headerFields[.authorization] != nil)
    }

    @Test func `a broken transfer is resumed from where the registry has the blob then`() async throws {
        let first = Array(Self.content.prefix(4))
        let registry = Self.redirecting { request in
            request.headerFields[.range] == nil
                ? OriginResponse(.ok, [:], [first], failure: OriginResponse.connectionLost)
                : .part(of: Self.content, for: request)
        }
        var bytes: [UInt8] = []
        try await Self.client(registry).read(Self.digest, size: 10) { bytes += $0 }
        #expect(bytes == Self.content)
        #expect(
            registry.log.suffix(2) == ["GET blobs/\(OCIDigest.text(Self.digest)) bytes=4-9", "GET /blob bytes=4-9"]
        )
    }

    @Test func `what is longer than it should be, or goes on elsewhere, is an error`() async throws {
        for response in [
            OriginResponse(.ok, [:], [Self.content, [0]]),
            OriginResponse(.partialContent, [.contentRange: "bytes 3-9/10"], [Array(Self.content[3...])]),
        ] {
            let registry = Self.redirecting { request in
                request.headerFields[.range] == nil
                    ? OriginResponse(.ok, [:], [Array(Self.content.prefix(4))], failure: OriginResponse.connectionLost)
                    : response
            }
            await #expect(throws: BundleError.self) {
                try await Self.client(registry).read(Self.digest, size: 10) { _ in }
            }
        }
    }

    @Test func `a manifest has the digest that it is asked for by`() async throws {
        let registry = MemoryRegistry()
        registry.publish(["feed.json": "{}"])
        let client = try Self.client(registry)
        let received = try #require(try await client.manifest())
        #expect(try await client.manifest(received.digest)?.manifest == received.manifest)
        #expect(try await client.manifestDigest() == received.digest)
        #expect(try await client.manifest(Self.digest) == nil)
        #expect(try await client.manifest(tag: "1.0.0") == nil)
        #expect(registry.requests.allSatisfy { $0.headerFields[.accept] == OCIManifest.mediaType })
        let other = MemoryRegistry.manifest([registry.add([1], titled: "x")])
        registry.interception = { _ in
            OriginResponse(.ok, [:], [other])
        }
        await #expect(throws: BundleError.self) { try await client.manifest(received.digest) }
        let claimed = OCIDigest.text(received.digest)
        registry.interception = { _ in
            OriginResponse(.ok, [HTTPField.Name("Docker-Content-Digest")!: claimed], [other])
        }
        await #expect(throws: BundleError.self) { try await client.manifest() }
        registry.interception = { _ in
            OriginResponse(.ok, [:], [[UInt8](repeating: 32, count: OCIManifest.maximumByteCount), [1]])
        }
        let error = await #expect(throws: BundleError.self) { try await client.manifest() }
        #expect(error?.code == .invalidFeed)
    }

    @Test(
        arguments: [
            (.unauthorized, "UNAUTHORIZED", .logIn("registry.example.com"), false),
            (.forbidden, "DENIED", .logIn("registry.example.com"), false),
            (.tooManyRequests, "TOOMANYREQUESTS", nil, true),
            (.serviceUnavailable, "UNAVAILABLE", nil, true), (.internalServerError, "UNKNOWN", nil, false),
            (.badRequest, "\\u001b[2J", nil, false),
        ] as [(HTTPResponse.Status, String, Remedy?, Bool)]
    )
    func `an error says what to do`(
        _ status: HTTPResponse.Status,
        _ code: String,
        _ remedy: Remedy?,
        _ asksForPause: Bool
    ) async throws {
        let registry = MemoryRegistry()
        registry.interception = { _ in MemoryRegistry.error(status, code) }
        let error = await #expect(throws: BundleError.self) {
            try await Self.client(registry, password: false).manifest()
        }
        #expect(error?.code == .networkUnavailable && error?.remedy == remedy && error?.asksForPause == asksForPause)
        #expect(error?.message.contains("\(status.code)") == true && error?.message.contains("\u{1b}") == false)
        #expect(error?.message.contains(code) == (code.first != "\\"))
    }
}
