import Foundation

/// A pipe that a child process writes to.
struct OutputPipe {
    let reading: FileHandle
    let writing: FileHandle

    /// - Throws: ``ChildProcessError/notStarted(executable:code:)`` when no file descriptor is left.
    init(for executable: String) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ChildProcessError.notStarted(executable: executable, code: errno) }
        reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }
}
