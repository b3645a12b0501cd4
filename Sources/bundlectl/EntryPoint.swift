import Dispatch
import Foundation

/// The program: parses the command line, runs the verb, and turns the result into an exit status.
@main
enum EntryPoint {
    static func main() {
        // While there is one thread: all others take over what is blocked.
        Interruption.blockSignals()
        StandardStreams.prepare()
        Task { exit(await Execution.run()) }
        dispatchMain()
    }
}
