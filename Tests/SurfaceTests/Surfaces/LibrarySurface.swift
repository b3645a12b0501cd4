import BundleEmbedding
import BundleTesting
import BundleTransport
import HTTPTypes

/// `BundleClient`, in Swift.
struct LibrarySurface: Surface {
    private let client: BundleClient
    private let transport: NIOTransport
    private let world: SurfaceWorld

    init(_ world: SurfaceWorld) throws {
        var configuration = BundleClient.Configuration()
        configuration.isDevelopment = true
        configuration.retries = .none
        transport = NIOTransport()
        client = try BundleClient(at: world.store, transport: transport, configuration: configuration)
        self.world = world
    }

    func send(_ request: SurfaceRequest) async throws -> SurfaceResponse {
        let response = await client.respond(
            to: request.http(at: world),
            from: ClientExchange(content: request.pieces.map { BodyStream($0.stream) }, interim: { _ in })
        )
        return SurfaceResponse(
            status: response.head.status.code,
            fields: response.head.headerFields.map { ($0.name.canonicalName, $0.value) },
            body: try await response.bytes()
        )
    }

    func update() async throws { try await client.update(SurfaceWorld.name) }

    func rollBack() async throws { try await client.rollBack(SurfaceWorld.name) }

    func setRules(_ json: String) async throws { client.rules = try CommonRules.parse(json).rules }

    func close() async throws {
        client.close()
        await transport.shutdown()
    }
}

extension SurfaceRequest {
    /// The request with an absolute URL.
    func http(at world: SurfaceWorld) -> HTTPRequest {
        var request = HTTPRequest(
            method: HTTPRequest.Method(method) ?? .get,
            scheme: "http",
            authority: String(world.origin.baseURL.dropFirst("http://".count)),
            path: "/shop/\(path)"
        )
        for field in allFields {
            if let name = HTTPField.Name(field.name) {
                request.headerFields.append(HTTPField(name: name, value: field.value))
            }
        }
        return request
    }

    /// The fields, and those that a browser sends with a page.
    var allFields: [(name: String, value: String)] {
        isPage ? fields + [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")] : fields
    }
}
