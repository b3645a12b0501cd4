import Foundation

/// The program: reads the command line, runs the verb, and turns how it ended into an exit status.
@main
enum EntryPoint {
    static func main() async {
        StandardStreams.prepare()
        exit(await Execution.run())
    }
}
