import BundleTesting
import Foundation

/// A screen in memory, for programs that need one.
struct Display {
    /// For `DISPLAY`.
    let name: String
    /// The file of the whole screen, as xwd writes it.
    let picture: String
    private let server: ChildProcess

    init(in folder: TemporaryDirectory) async throws {
        server = try ChildProcess(
            "Xvfb",
            ["-displayfd", "1", "-screen", "0", "1100x820x24", "-fbdir", folder.path, "-nolisten", "tcp"]
        )
        name = ":" + (try await server.waitForLine { Int($0) != nil })
        picture = folder.path(of: "Xvfb_screen0")
    }

    func end() async throws {
        _ = try await server.terminate()
    }
}
