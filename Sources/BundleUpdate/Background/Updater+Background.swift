import BundleStore
import HTTPCore

extension Updater {
    /// Takes what the system has downloaded to where the next update of the bundle finds it. The file passes the checks of any other
    /// download, and the update verifies it once more. After a failure, updates by a clock leave the release alone for a while.
    ///
    /// - Throws: ``/BundleModel/BundleError`` with code `networkUnavailable` when the system got no response, or one that isn't the
    ///   file; `invalidFeed` when the file has another size or digest than advertised; `quotaExceeded` or `storeUnavailable` when there
    ///   is no room for it; `notFound` when the bundle has been removed. Nothing of another file is kept.
    package func take(_ result: BackgroundResult) async throws {
        let download = result.download
        try store.refresh()
        _ = try store.bundle(download.bundle)
        do {
            let response = try result.response.get()
            _ = try await withTaskExecutorPreference(BlockingExecutor()) {
                try await file(download, in: response).run()
            }
        } catch let error as BundleError {
            if let pauses = FetchBackoff.pauses(afterDownload: error) {
                let subject = FetchRetry.Subject.release(download.archive)
                PacedFetch(store: store, name: download.bundle, subject: subject, isScheduled: true).record(
                    error,
                    pauses
                )
            }
            throw error
        }
    }

    private func file(_ download: BackgroundDownload, in response: ArrivedResponse) -> FileDownload {
        FileDownload(
            store: store,
            document: OriginDocument(transport: response),
            bundle: download.bundle,
            file: FeedFile(location: response.url, size: download.size, digest: download.digest),
            release: nil,
            maximumByteCount: download.size,
            received: ByteCounter()
        ) { _ in }
    }
}
