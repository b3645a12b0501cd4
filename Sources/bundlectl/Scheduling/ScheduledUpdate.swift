/// The command that a clock runs.
struct ScheduledUpdate {
    /// The program's absolute path.
    let program: String
    /// The store's absolute path.
    let store: String
    /// How often it is run.
    let interval: UpdateInterval
    /// Further arguments of `update`.
    let further: [String]

    /// The arguments, without those that only one kind of clock needs.
    var arguments: [String] { ["update", "--scheduled", "--store", store] + further }
}
