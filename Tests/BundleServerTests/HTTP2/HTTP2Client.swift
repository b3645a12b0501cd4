import BundleTesting

/// A client that sends HTTP/2 frame by frame, in clear text with prior knowledge. For use in one task.
final class HTTP2Client {
    private let connection: RawConnection
    private let decoder: HPACKDecoder
    /// Received frames of streams that haven't been read yet.
    private var frames: [HTTP2Frame] = []

    init(_ connection: RawConnection) throws {
        self.connection = connection
        decoder = try HPACKDecoder()
    }

    /// Sends the preface and these settings.
    func open(_ settings: KeyValuePairs<UInt16, UInt32> = [:]) async throws {
        try await connection.send(HTTP2Frame.preface + HTTP2Frame.settings(settings).bytes)
    }

    func send(_ frames: HTTP2Frame...) async throws {
        try await send(frames)
    }

    func send(_ frames: [HTTP2Frame]) async throws {
        try await connection.send(frames.flatMap(\.bytes))
    }

    func get(_ path: String, stream: UInt32, _ fields: [(String, String)] = []) async throws -> RawResponse {
        try await send(.get(path, stream: stream, fields))
        return try await response(on: stream)
    }

    /// Reads a whole response, and opens a window again when it is half used.
    func response(on stream: UInt32) async throws -> RawResponse {
        var response = try await head(on: stream)
        while !response.isWhole {
            let frame = try await frame(on: stream)
            guard frame.kind == HTTP2Frame.Kind.data.rawValue else { throw StreamReset(code: frame.errorCode) }
            response.response.body += frame.payload
            response.isWhole = frame.isEnd
            if !frame.payload.isEmpty {
                let count = UInt32(frame.payload.count)
                // After its last response the server may have closed the connection.
                try? await send(.windowUpdate(count), .windowUpdate(count, stream: stream))
            }
        }
        return response.response
    }

    /// Reads the head of a response, and whether the stream ends with it.
    func head(on stream: UInt32) async throws -> (response: RawResponse, isWhole: Bool) {
        let frame = try await frame(on: stream)
        guard frame.kind == HTTP2Frame.Kind.headers.rawValue else { throw StreamReset(code: frame.errorCode) }
        return (RawResponse(fields: decoder.fields(frame.payload)), frame.isEnd)
    }

    /// The fields of a frame that carries any, such as trailers. To be called once a frame, in their order.
    func fields(of frame: HTTP2Frame) -> [String] { decoder.fields(frame.payload).map { "\($0.0): \($0.1)" } }

    /// The next frame on this stream, other than WINDOW_UPDATE.
    func frame(on stream: UInt32) async throws -> HTTP2Frame {
        try await frame { $0.stream == stream && $0.kind != HTTP2Frame.Kind.windowUpdate.rawValue }
    }

    /// The next frame of this kind; GOAWAY for another one ends the wait.
    func frame(_ kind: HTTP2Frame.Kind) async throws -> HTTP2Frame {
        try await frame { $0.kind == kind.rawValue }
    }

    /// The frames until the server closes the connection.
    func rest() async throws -> [HTTP2Frame] {
        var all = frames
        while let frame = try? await nextFrame() { all.append(frame) }
        return all
    }

    struct StreamReset: Error {
        let code: UInt32
    }

    struct ConnectionEnded: Error {
        let code: UInt32
    }

    /// The next matching frame; GOAWAY for an error ends the wait.
    func frame(where isWanted: (HTTP2Frame) -> Bool) async throws -> HTTP2Frame {
        if let index = frames.firstIndex(where: isWanted) { return frames.remove(at: index) }
        while true {
            let frame = try await nextFrame()
            if isWanted(frame) { return frame }
            if frame.kind == HTTP2Frame.Kind.goAway.rawValue, frame.goAwayCode != 0 {
                throw ConnectionEnded(code: frame.goAwayCode)
            }
            frames.append(frame)
        }
    }

    private func nextFrame() async throws -> HTTP2Frame {
        let head = try await connection.bytes(9)
        let count = head[..<3].reduce(0) { $0 << 8 | Int($1) }
        let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return HTTP2Frame(head[3], flags: head[4], stream: stream, try await connection.bytes(count))
    }
}

/// Connects to 127.0.0.1, opens HTTP/2 with these settings, and passes the connection to `body`.
func withHTTP2Client<Result: Sendable>(
    to port: Int,
    _ settings: KeyValuePairs<UInt16, UInt32> = [:],
    _ body: (HTTP2Client) async throws -> Result
) async throws -> Result {
    try await withRawConnection(to: port) { connection in
        let client = try HTTP2Client(connection)
        try await client.open(settings)
        return try await body(client)
    }
}
