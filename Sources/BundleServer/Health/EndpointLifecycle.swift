import ServiceLifecycle

/// Informs probes and the service manager that the endpoint is shutting down. It must be the last service, which is
/// shut down first: then load balancers know while responses are still being sent.
struct EndpointLifecycle: Service {
    let health: EndpointHealth
    let manager: ServiceManager?

    /// Call it when connections are accepted.
    func start() {
        health.startServing()
        manager?.notify("READY=1")
    }

    func run() async {
        // Throws only when the task is cancelled, which is also a reason to end.
        try? await gracefulShutdown()
        health.startDraining()
        manager?.notify("STOPPING=1")
    }
}
