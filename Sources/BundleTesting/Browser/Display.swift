import Foundation

/// A screen in memory, for programs that need one.
package struct Display: Sendable {
    /// For `DISPLAY`.
    package let name: String
    /// The file of the whole screen, as xwd writes it.
    package let picture: String
    private let server: ChildProcess

    /// Starts it; its files are in a folder.
    package init(in folder: TemporaryDirectory) async throws {
        server = try ChildProcess(
            "Xvfb",
            ["-displayfd", "1", "-screen", "0", "1100x820x24", "-fbdir", folder.path, "-nolisten", "tcp"]
        )
        name = ":" + (try await server.waitForLine { Int($0) != nil })
        picture = folder.path(of: "Xvfb_screen0")
    }

    /// Ends it.
    package func end() async throws {
        _ = try await server.terminate()
    }
}
