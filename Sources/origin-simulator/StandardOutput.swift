import Foundation

/// Standard output, one unbuffered line at a time: a program at the other end of a pipe waits for these lines.
enum StandardOutput {
    static func writeLine(_ line: String) {
        // Writing to a closed pipe is not an error: the server goes on.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
