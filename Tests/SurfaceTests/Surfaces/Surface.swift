/// The surface has no such step: the row says why.
struct NoSuchStep: Error {}

/// One way in, opened on a store.
protocol Surface: Sendable {
    /// Sends a request for a path under the bundle's origin, without following redirects.
    ///
    /// - Throws: What the surface has in place of a response.
    func send(_ request: SurfaceRequest) async throws -> SurfaceResponse

    /// Takes the version that is highest in the feed.
    func update() async throws

    /// Makes the version before active again.
    func rollBack() async throws

    /// Replaces the app's network rules, which come before those of the manifest.
    ///
    /// - Parameter json: As a manifest's member `network`.
    func setRules(_ json: String) async throws

    func close() async throws
}
