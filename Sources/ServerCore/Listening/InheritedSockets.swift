#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The sockets that a service manager opened and passed to the process (sd_listen_fds(3)).
struct InheritedSockets {
    /// Why there is no socket to listen on.
    enum Absence: Error {
        /// The process wasn't started with any.
        case none
        /// There are some, but none with this name.
        case notNamed(String)
        /// This descriptor isn't a listening stream socket.
        case notListening(CInt)
    }

    private let descriptors: Range<CInt>
    private let names: [Substring]

    /// - Parameters:
    ///   - environment: The process's environment: `LISTEN_PID`, `LISTEN_FDS`, `LISTEN_FDNAMES`.
    ///   - process: The process id. Sockets for another one, such as a parent, are ignored.
    ///   - first: The first descriptor's number; 3 in the protocol.
    init(_ environment: [String: String], process: CInt = getpid(), first: CInt = 3) {
        let isForThisProcess = environment["LISTEN_PID"].flatMap { CInt($0) } == process
        let count = isForThisProcess ? environment["LISTEN_FDS"].flatMap { CInt($0) } ?? 0 : 0
        let (end, overflows) = first.addingReportingOverflow(max(0, count))
        descriptors = first..<(overflows ? first : end)
        names = environment["LISTEN_FDNAMES"]?.split(separator: ":", omittingEmptySubsequences: false) ?? []
    }

    /// Duplicates of the descriptors with this name, or of all, which the caller closes. The inherited ones stay open,
    /// since another address may name them too, and are marked close-on-exec.
    ///
    /// - Throws: ``Absence``, or `IOError`.
    func open(_ name: String?) throws -> [StreamSocket] {
        guard !descriptors.isEmpty else { throw Absence.none }
        var sockets: [StreamSocket] = []
        do {
            for descriptor in descriptors where name == nil || self.name(of: descriptor) == name {
                sockets.append(try Self.duplicate(descriptor))
            }
        } catch {
            for socket in sockets { socket.discard() }
            throw error
        }
        if let name, sockets.isEmpty { throw Absence.notNamed(name) }
        return sockets
    }

    private func name(of descriptor: CInt) -> String? {
        let index = Int(descriptor - descriptors.lowerBound)
        return names.indices.contains(index) ? String(names[index]) : nil
    }

    private static func duplicate(_ descriptor: CInt) throws -> StreamSocket {
        let inherited = StreamSocket(descriptor: descriptor)
        guard inherited.isListening else { throw Absence.notListening(descriptor) }
        try inherited.setFlags()
        return try inherited.duplicate()
    }
}
