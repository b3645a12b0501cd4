import Foundation

/// The program: parses the command line, runs the verb, and turns the result into an exit status.
@main
enum EntryPoint {
    static func main() async {
        StandardStreams.prepare()
        exit(await Execution.run())
    }
}
