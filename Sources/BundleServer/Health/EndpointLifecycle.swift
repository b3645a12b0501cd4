import ServiceLifecycle

/// Tells whoever asks, and the service manager, that the endpoint is shutting down. It has to be the last service, which is
/// shut down first: then load balancers know while requests under way are still being answered.
struct EndpointLifecycle: Service {
    let health: EndpointHealth
    let manager: ServiceManager?

    /// To be called when connections are accepted.
    func start() {
        health.startServing()
        manager?.notify("READY=1")
    }

    func run() async {
        // Throws only when the task is cancelled, which is an end as well.
        try? await gracefulShutdown()
        health.startDraining()
        manager?.notify("STOPPING=1")
    }
}
