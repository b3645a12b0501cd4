/// Runs `body`, and then `cleanUp`, whatever `body` did; `defer` can't wait.
///
/// - Throws: What `cleanUp` throws, or else what `body` throws.
package func withCleanup<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result,
    cleanUp: () async throws -> Void
) async throws -> Result {
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
    try await cleanUp()
    return try outcome.get()
}
