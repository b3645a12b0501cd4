import Foundation

/// Standard output, a line at a time and never held back: someone waits for these lines at the other end of a pipe.
enum StandardOutput {
    static func writeLine(_ line: String) {
        // A reader that has gone away is no reason to stop serving.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
