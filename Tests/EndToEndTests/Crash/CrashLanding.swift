/// A state that an interrupted command may leave, and the result of running the same command again.
struct CrashLanding {
    /// `old`, `new` or `halfway`.
    let name: String
    let state: StoreState
    /// The state after the command is run once more on this state, without a fault.
    let again: Outcome

    /// The result of the command.
    struct Outcome {
        let exitCode: Int32?
        let state: StoreState
        let inventory: StoreInventory
    }
}
