import BundleStore
import BundleUpdate
import Synchronization

/// Updates in the background, whose large files the system downloads while the app is suspended or gone.
extension BundleClient {
    /// Has the system download large files of ``updateAllInBackground()`` from now on. To be called at each start of the app, once: so the
    /// client gets the events of tasks that an earlier process has started. The session is kept as long as the client.
    ///
    /// - Parameter session: Makes the session, which reports its events to the argument.
    package func downloadInBackground(by session: (BackgroundEvents) -> BackgroundDownloads) {
        let events = BackgroundEvents { [weak self] result in await self?.take(result) }
        let downloads = session(events)
        backgroundDownloads.withLock { $0 = downloads }
    }

    /// Updates all bundles, as a clock asks for it while the app is in the background. Afterwards the client is suspended, unless the app
    /// is active.
    ///
    /// - Returns: Whether all has gone well. A download of the system counts as that.
    package func updateAllInBackground() async -> Bool {
        let outcomes = await whileResumed { try? await updateAll(nil, inBackground: true) }
        return outcomes?.allSatisfy { $0.error == nil || $0.isBeingDownloaded } ?? false
    }

    /// Waits until a session of the system has told of all that has happened while the app was suspended or gone, and until its files are
    /// installed; or until the task is cancelled.
    ///
    /// - Parameter identifier: The session's.
    /// - Returns: False at once when this client has no such session.
    package func finishEvents(ofSession identifier: String) async -> Bool {
        let downloads = backgroundDownloads.withLock(\.self)
        guard let downloads, downloads.session.identifier == identifier else { return false }
        await downloads.events.finish()
        return true
    }

    /// Takes a file that the system has downloaded, and goes on with the update that it is for.
    private func take(_ result: BackgroundResult) async {
        let work = Task { await whileResumed { await update(with: result) } }
        AppStateObserver.whileRunning({ await work.value }, onExpiration: work.cancel)
        await work.value
    }

    private func update(with result: BackgroundResult) async {
        do {
            try await updating(inBackground: true) { try await $0.take(result) }
            _ = try await updateAll([result.download.bundle], inBackground: true)
        } catch {
            // The next update says what is wrong, if it still is.
        }
    }
}

extension FeedOutcome<UpdateResult> {
    fileprivate var isBeingDownloaded: Bool {
        if case .downloading? = error as? UpdatePostponement { true } else { false }
    }
}
