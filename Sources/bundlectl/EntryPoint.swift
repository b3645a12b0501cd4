import Dispatch
import Foundation

/// The program: parses the command line, runs the verb, and turns the result into an exit status.
@main
enum EntryPoint {
    static func main() {
        let interruption = Interruption()
        StandardStreams.prepare()
        // Used by the task alone, once it is there.
        nonisolated(unsafe) let command = Execution.parse()
        guard !(command is Serve) else {
            // The server handles signals itself: it drains.
            interruption.giveUp()
            Task { exit(await Execution.run(command)) }
            dispatchMain()
        }
        // Detached from this thread's actor, whose queue isn't served: it waits for signals.
        Task.detached { exit(await Execution.run(command, interruption)) }
        interruption.receiveSignals()
    }
}
