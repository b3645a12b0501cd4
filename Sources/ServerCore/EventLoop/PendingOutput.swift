#if os(Linux)
    import BundleModel
    import CEpoll
    import Glibc

    /// Output that a socket has not yet taken: bytes, and possibly a body in the store. Of a long response only the
    /// head is copied into memory.
    struct PendingOutput {
        /// The outcome of writing.
        enum Outcome {
            /// Everything has been taken.
            case done
            /// The socket is full.
            case blocked
            /// The socket takes more, but other connections get their turn first.
            case unfinished
            /// The rest can't be sent.
            case failed
        }

        /// From this length on, sending from a file costs less than from memory. Measured: at 16 KB both cost the same.
        /// Over loopback a client pays for what the server saves: for 1 MB it takes 480 µs, with the server's 80. With
        /// TCP_NOTSENT_LOWAT at 64 KB both take 205 and 145 µs, and the rate is 1.6 to 1.9 times as high; the limit isn't
        /// set, because clients on other machines gain nothing by it, and the server's time counts.
        private static let minimumFileByteCount = 32 << 10

        /// Up to this length the head is held back until the body follows, and shares a packet with its beginning.
        /// Measured per response in processor time of the server: 26 instead of 30 µs for 128 KB; but 38 instead of 35
        /// µs for 256 KB, and 125 instead of 92 µs for 1 MB, where a client that has the head already reads along.
        private static let maximumJoinedByteCount = 192 << 10

        /// How many bytes of a body are written in one turn: as many as in nginx.
        private static let maximumTurnByteCount = 2 << 20

        private var bytes: ArraySlice<UInt8>
        private var body: ByteSlice?
        /// How many bytes of the body have been sent.
        private(set) var bodyOffset = 0

        /// - Parameter bytes: Sent before `body`.
        init(_ bytes: ArraySlice<UInt8>, body: ByteSlice?) {
            self.bytes = bytes
            self.body = body
        }

        /// - Parameter offset: How many bytes of the body have been sent.
        init(body: ByteSlice, from offset: Int) {
            bytes = []
            self.body = body
            bodyOffset = offset
        }

        /// Writes as much as the socket takes.
        mutating func write(to socket: Int32) -> Outcome {
            while !bytes.isEmpty {
                let count = bytes.withUnsafeBytes { Self.send($0, to: socket, before: body) }
                guard count > 0 else { return Self.outcome }
                bodyOffset += max(0, count - bytes.count)
                bytes = bytes.dropFirst(count)
            }
            guard let body else { return .done }
            let outcome = Self.write(body, from: &bodyOffset, to: socket)
            if outcome == .done { self.body = nil }
            return outcome
        }

        /// Writes bytes, and with them what is in memory of a short body. Returns how many the socket took: zero or less
        /// when none.
        ///
        /// - Parameter body: The body that is written next.
        static func send(_ bytes: UnsafeRawBufferPointer, to socket: Int32, before body: ByteSlice? = nil) -> Int {
            guard let body, body.count <= maximumJoinedByteCount else { return send(bytes, to: socket, flags: 0) }
            if isSentFromFile(body) { return send(bytes, to: socket, flags: Int32(MSG_MORE)) }
            return body.withUnsafeBytes { send(bytes, $0, to: socket) }
        }

        private static func send(_ bytes: UnsafeRawBufferPointer, to socket: Int32, flags: Int32) -> Int {
            while true {
                let count = Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | flags)
                if count >= 0 || errno != EINTR { return count }
            }
        }

        /// One call for both, which costs less than two.
        private static func send(
            _ bytes: UnsafeRawBufferPointer,
            _ body: UnsafeRawBufferPointer,
            to socket: Int32
        ) -> Int {
            withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
                parts.initializeElement(at: 0, to: part(bytes))
                parts.initializeElement(at: 1, to: part(body))
                var message = msghdr()
                message.msg_iov = parts.baseAddress
                message.msg_iovlen = parts.count
                while true {
                    let count = sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
                    if count >= 0 || errno != EINTR { return count }
                }
            }
        }

        private static func part(_ bytes: UnsafeRawBufferPointer) -> iovec {
            iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
        }

        private static func isSentFromFile(_ body: ByteSlice) -> Bool {
            body.count >= minimumFileByteCount && body.file != nil
        }

        /// Writes a body from `offset` on, and advances `offset`.
        static func write(_ body: ByteSlice, from offset: inout Int, to socket: Int32) -> Outcome {
            let end = min(body.count, offset + maximumTurnByteCount)
            if body.count >= minimumFileByteCount, let file = body.file {
                while offset < end {
                    var position = off_t(file.offset + offset)
                    let count = sendfile(socket, file.descriptor, &position, end - offset)
                    if count < 0, errno == EINTR { continue }
                    // Zero: the file has become shorter.
                    guard count > 0 else { return count == 0 ? .failed : outcome }
                    offset += count
                }
            } else {
                let outcome = body[0..<end].withUnsafeBytes { writeMemory($0, from: &offset, to: socket) }
                guard outcome == .done else { return outcome }
            }
            return end == body.count ? .done : .unfinished
        }

        private static func writeMemory(
            _ bytes: UnsafeRawBufferPointer,
            from offset: inout Int,
            to socket: Int32
        ) -> Outcome {
            while offset < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                let count = send(rest, to: socket, flags: 0)
                guard count > 0 else { return outcome }
                offset += count
            }
            return .done
        }

        /// The outcome that the last call's `errno` means.
        private static var outcome: Outcome { errno == EAGAIN ? .blocked : .failed }
    }
#endif
