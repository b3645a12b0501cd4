import BundleEmbedding
import BundleTesting
import BundleTransport
import HTTPTypes
import Testing

/// `BundleClient`, in Swift.
struct LibrarySurface: Surface {
    private let client: BundleClient
    private let transport: NIOTransport
    private let world: SurfaceWorld

    init(_ world: SurfaceWorld) throws {
        var configuration = BundleClient.Configuration()
        configuration.isDevelopment = true
        configuration.retries = .none
        configuration.fetchLimits.fallbackTimeout = .seconds(60)
        transport = NIOTransport()
        client = try BundleClient(at: world.store, transport: transport, configuration: configuration)
        self.world = world
    }

    func send(_ request: ConformanceRequest) async throws -> RawResponse {
        var call = request
        (call.host, call.target) = (world.origin.authority, "/shop" + request.target)
        let response = await client.respond(
            to: try #require(call.request(scheme: "http")),
            from: ClientExchange(content: request.pieces.map { BodyStream($0.stream) }, interim: { _ in })
        )
        return RawResponse(
            status: response.head.status.code,
            fields: response.head.headerFields.map { (name: $0.name.canonicalName, value: $0.value) },
            body: try await response.bytes(ofAnyStatus: true)
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
