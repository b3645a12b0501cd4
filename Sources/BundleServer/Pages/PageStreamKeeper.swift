import ServiceLifecycle

/// Ends the event streams when the server is shut down: none of them ends by itself.
struct PageStreamKeeper: Service {
    let streams: PageStreams

    func run() async {
        // Throws only when the task is cancelled, which is also a reason to end them.
        try? await gracefulShutdown()
        streams.end()
    }
}
