/// A state that a command may leave when it is cut short, and what the same command makes of it afterwards.
struct CrashLanding {
    /// `old`, `new` or `halfway`.
    let name: String
    let state: StoreState
    /// What the command leaves when it is run once more on this state, undisturbed.
    let again: Outcome

    /// What a command left.
    struct Outcome {
        let exitCode: Int32?
        let state: StoreState
        let inventory: StoreInventory
    }
}
