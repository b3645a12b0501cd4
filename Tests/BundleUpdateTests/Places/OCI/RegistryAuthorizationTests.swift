import BundleModel
import BundleTesting
import Foundation
import HTTPCore
import HTTPTypes
import Synchronization
import Testing

@testable import BundleUpdate

/// Which credentials and tokens go where.
struct RegistryAuthorizationTests {
    private static let realm = "https://auth.example.com/token"
    private static let scope = "service=registry.example.com&scope=repository%3Akiosk%2Fshop%3Apull"
    private static let basic = RegistryCredential(user: "user", secret: "secret")

    /// A registry that wants tokens, and the service that makes them.
    private final class Fixture: Sendable {
        let registry = MemoryRegistry()
        /// The tokens that the registry takes.
        let valid = Mutex<Set<String>>([])
        let count = Atomic(0)
        let clock = TestClock()

        init(challenge: String = #"Bearer realm="\#(realm)",service="registry.example.com""#) {
            registry.publish(["feed.json": "{}"])
            registry.interception = { [unowned self] request in
                if request.authority == "auth.example.com" { return token(request) }
                let sent = request.headerFields[.authorization]
                guard sent == nil || !valid.withLock({ $0.contains(sent ?? "") }) else { return nil }
                return MemoryRegistry.error(.unauthorized, "UNAUTHORIZED", [.wwwAuthenticate: challenge])
            }
        }

        private func token(_ request: HTTPRequest) -> OriginResponse {
            let number = count.add(1, ordering: .relaxed).newValue
            valid.withLock { _ = $0.insert("Bearer token\(number)") }
            return OriginResponse(.ok, [:], #"{"token":"token\#(number)","expires_in":300}"#)
        }

        func client(_ credential: RegistryCredential? = basic, _ access: RegistryAccess = .pull) throws -> OCIClient {
            OCIClient(
                try OCIReference(MemoryRegistry.reference),
                access,
                over: registry,
                credential: { _ in credential },
                now: { [clock] in clock.date }
            )
        }

        /// Where requests went, with what in `Authorization`.
        var sent: [String] {
            registry.requests.map { "\($0.authority ?? "") \($0.headerFields[.authorization] ?? "-")" }
        }
    }

    private static let basicField = "Basic dXNlcjpzZWNyZXQ="

    @Test func `a token is asked for once, with the credential, and used until it expires`() async throws {
        let fixture = Fixture()
        let client = try fixture.client()
        for _ in 1...2 { #expect(try await client.manifest() != nil) }
        #expect(
            fixture.sent == [
                "registry.example.com -", "auth.example.com \(Self.basicField)", "registry.example.com Bearer token1",
                "registry.example.com Bearer token1",
            ]
        )
        #expect(fixture.registry.requests[1].path == "/token?\(Self.scope)")
        fixture.registry.clearLog()
        fixture.clock.advance(by: .seconds(301))
        #expect(try await client.manifest() != nil)
        #expect(
            fixture.sent == [
                "registry.example.com -", "auth.example.com \(Self.basicField)", "registry.example.com Bearer token2",
            ]
        )
    }

    @Test func `without a credential a token is asked for by nobody`() async throws {
        let fixture = Fixture()
        #expect(try await fixture.client(nil).manifest() != nil)
        #expect(fixture.sent[1] == "auth.example.com -")
    }

    @Test func `a publisher asks for a token that may push`() async throws {
        let fixture = Fixture()
        #expect(try await fixture.client(Self.basic, .pullAndPush).manifest() != nil)
        #expect(fixture.registry.requests[1].path == "/token?\(Self.scope)%2Cpush")
    }

    @Test func `a provider's token is exchanged by a form, and isn't in a URL`() async throws {
        let fixture = Fixture()
        #expect(try await fixture.client(.identityToken("a&b")).manifest() != nil)
        let request = fixture.registry.requests[1]
        #expect(request.method == .post && request.path == "/token" && request.headerFields[.authorization] == nil)
        #expect(request.headerFields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test func `a token that isn't taken any more is renewed once`() async throws {
        let fixture = Fixture()
        let client = try fixture.client()
        #expect(try await client.manifest() != nil)
        fixture.valid.withLock { $0 = [] }
        #expect(try await client.manifest() != nil)
        #expect(fixture.count.load(ordering: .relaxed) == 2)
    }

    @Test func `a registry that takes no token gets no third request, and the user is to log in`() async throws {
        let fixture = Fixture()
        let interception = fixture.registry.interception
        fixture.registry.interception = { request in
            let response = try await interception(request)
            fixture.valid.withLock { $0 = [] }
            return response
        }
        let error = await #expect(throws: BundleError.self) { try await fixture.client().manifest() }
        #expect(error?.remedy == .logIn("registry.example.com") && error?.code == .networkUnavailable)
        #expect(fixture.sent.count == 3)
        #expect(error?.message.contains("token1") == false && error?.message.contains("secret") == false)
    }

    @Test(arguments: [
        "http://auth.example.com/token", "http://127.0.0.1/token", "ftp://auth.example.com/", "", "/token", "https://",
        "https://user:pass@auth.example.com/token",
    ])
    func `no credential goes to a service that isn't on https`(_ realm: String) async throws {
        let fixture = Fixture(challenge: #"Bearer realm="\#(realm)",service="s""#)
        let error = await #expect(throws: BundleError.self) { try await fixture.client().manifest() }
        #expect(error?.code == .networkUnavailable && error?.message.contains("pass@") == false)
        #expect(fixture.sent == ["registry.example.com -"])
    }

    @Test func `a registry with passwords alone gets them directly, and asks no service`() async throws {
        let fixture = Fixture(challenge: #"Basic realm="r""#)
        fixture.valid.withLock { $0 = [Self.basicField] }
        #expect(try await fixture.client().manifest() != nil)
        #expect(fixture.sent == ["registry.example.com -", "registry.example.com \(Self.basicField)"])
    }

    @Test(arguments: [nil, RegistryCredential(user: "user", secret: "wrong"), .identityToken("x")])
    func `a wrong password, or none, is no loop`(_ credential: RegistryCredential?) async throws {
        let fixture = Fixture(challenge: #"Basic realm="r""#)
        let error = await #expect(throws: BundleError.self) { try await fixture.client(credential).manifest() }
        #expect(error?.remedy == .logIn("registry.example.com"))
        #expect(fixture.sent.count <= 2)
    }

    @Test(arguments: [
        (HTTPResponse.Status.unauthorized, "{}", true), (.forbidden, "{}", true), (.serviceUnavailable, "", false),
        (.ok, "{}", false), (.ok, #"{"token":""}"#, false), (.ok, #"{"token":"a\nb"}"#, false), (.ok, "no JSON", false),
        (.found, "", false), (.ok, #"{"token":"\#(String(repeating: "x", count: 200_000))"}"#, false),
    ])
    func `a service that gives no token is an error`(
        _ status: HTTPResponse.Status,
        _ text: String,
        _ wantsLogin: Bool
    ) async throws {
        let fixture = Fixture()
        let interception = fixture.registry.interception
        fixture.registry.interception = { request in
            guard request.authority == "auth.example.com" else { return try await interception(request) }
            return OriginResponse(status, [.location: "https://elsewhere.example.com/"], text)
        }
        let error = await #expect(throws: BundleError.self) { try await fixture.client().manifest() }
        #expect(error?.code == .networkUnavailable && (error?.remedy != nil) == wantsLogin)
        #expect(fixture.sent.count == 2)
    }
}
