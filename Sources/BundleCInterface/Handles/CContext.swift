/// What C passes for its callbacks.
///
/// The program is responsible for its being used on other threads: the header says so.
struct CContext: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer?
}
