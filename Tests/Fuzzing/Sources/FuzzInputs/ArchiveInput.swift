import BundleTar

@testable import BundleArchive

private let file = FuzzFile(name: "archive")

private let limits: ArchiveLimits = {
    var limits = ArchiveLimits()
    limits.maximumEntryCount = 1_000
    limits.maximumEntryByteCount = 1 << 20
    limits.maximumTotalByteCount = 4 << 20
    return limits
}()

/// An archive is read to its end or refused, never over its limits, and both ways of reading a zip agree.
enum ArchiveInput {
    static func isTaken(_ bytes: UnsafeRawBufferPointer) -> Bool {
        file.write(bytes)
        let streamed = contents(deferring: false)
        precondition(streamed == contents(deferring: true), "streaming and deferred decoding disagree")
        return streamed != nil
    }
}

/// The names and bytes of an archive's files, or nil if it is refused.
private func contents(deferring: Bool) -> [[UInt8]]? {
    do throws(ArchiveError) {
        let reader = try ArchiveReader(path: file.path, formats: .zipAndTar, limits: limits)
        let decoder = ZipDecoder()
        var files: [[UInt8]] = []
        while let entry = try reader.nextEntry() {
            precondition(files.count < limits.maximumEntryCount, "more entries than allowed")
            var bytes = Array(entry.name.utf8)
            if deferring, let content = reader.deferredContent() {
                bytes += try decoded(content, by: decoder)
            } else {
                bytes += try streamed(from: reader)
            }
            files.append(bytes)
        }
        precondition(files.reduce(0) { $0 + $1.count } <= 5 << 20, "more bytes than allowed")
        return files
    } catch {
        precondition(!error.message.isEmpty, "an error without words")
        return nil
    }
}

private func decoded(_ content: DeferredContent, by decoder: ZipDecoder) throws(ArchiveError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: content.byteCount, alignment: 16)
    defer { buffer.deallocate() }
    try content.decode(into: buffer, using: decoder)
    return Array(buffer)
}

private func streamed(from reader: ArchiveReader) throws(ArchiveError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 16)
    defer { buffer.deallocate() }
    var bytes: [UInt8] = []
    while case let count = try reader.read(into: buffer), count > 0 { bytes += buffer[..<count] }
    return bytes
}
