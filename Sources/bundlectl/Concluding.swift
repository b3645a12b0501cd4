/// Calls `body`, and after it `end`, also when `body` throws: a `defer` can't wait.
func concluding<Success, Failure: Error>(
    _ body: () async throws(Failure) -> Success,
    finally end: () async -> Void
) async throws(Failure) -> Success {
    let result: Result<Success, Failure>
    do throws(Failure) {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    await end()
    return try result.get()
}
