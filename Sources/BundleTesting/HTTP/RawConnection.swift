import NIOCore
import NIOPosix
import NIOSSL

/// A connection on which a test sends and reads HTTP/1 byte by byte. For use in one task.
package final class RawConnection {
    /// The connection was closed before everything had arrived.
    package struct EndOfStream: Error {}

    private var input: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    package let output: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private var buffer = ByteBuffer()

    package init(_ input: NIOAsyncChannelInboundStream<ByteBuffer>, _ output: NIOAsyncChannelOutboundWriter<ByteBuffer>)
    {
        self.input = input.makeAsyncIterator()
        self.output = output
    }

    package func send(_ text: String) async throws {
        try await output.write(ByteBuffer(string: text))
    }

    package func send(_ bytes: [UInt8]) async throws {
        try await output.write(ByteBuffer(bytes: bytes))
    }

    /// Tells the server that nothing more will be sent.
    package func finish() {
        output.finish()
    }

    /// Sends a GET with these further fields.
    package func get(_ path: String, host: String = "localhost", _ fields: [String] = []) async throws -> RawResponse {
        try await request("GET \(path) HTTP/1.1", ["Host: \(host)"] + fields)
    }

    /// Sends a request without content and reads its whole response.
    package func request(_ line: String, _ fields: [String] = []) async throws -> RawResponse {
        try await send(([line] + fields).joined(separator: "\r\n") + "\r\n\r\n")
        return try await response(toHead: line.hasPrefix("HEAD "))
    }

    /// Reads a whole response.
    package func response(toHead isHead: Bool = false) async throws -> RawResponse {
        var response = try await head()
        if isHead || [204, 304].contains(response.status) { return response }
        if response["transfer-encoding"] == "chunked" {
            response.body = try await chunkedBody()
        } else if let length = response["content-length"].flatMap({ Int($0) }) {
            response.body = try await bytes(length)
        } else {
            response.body = try await rest()
        }
        return response
    }

    /// Reads only a response's head.
    package func head() async throws -> RawResponse {
        var lines: [String] = []
        while let line = try await line().nonEmpty { lines.append(line) }
        return RawResponse(head: lines.joined(separator: "\r\n"))
    }

    package func bytes(_ count: Int) async throws -> [UInt8] {
        while buffer.readableBytes < count { try await fill() }
        buffer.discardReadBytes()
        return buffer.readBytes(length: count) ?? []
    }

    /// Reads and discards exactly this many bytes.
    package func skip(_ count: Int, noting progress: (Int) -> Void = { _ in }) async throws {
        var remaining = count
        while remaining > 0 {
            if buffer.readableBytes == 0 { try await fill() }
            let step = min(remaining, buffer.readableBytes)
            buffer.moveReaderIndex(forwardBy: step)
            remaining -= step
            progress(count - remaining)
        }
    }

    /// Reads until the server closes the connection.
    package func rest() async throws -> [UInt8] {
        while let more = try await input.next() { buffer.writeImmutableBuffer(more) }
        return buffer.readBytes(length: buffer.readableBytes) ?? []
    }

    private func chunkedBody() async throws -> [UInt8] {
        var body: [UInt8] = []
        while let size = Int(try await line(), radix: 16), size > 0 {
            body += try await bytes(size)
            _ = try await line()
        }
        _ = try await line()
        return body
    }

    /// The next line, without its end.
    package func line() async throws -> String {
        while true {
            let view = buffer.readableBytesView
            if let end = view.firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer.readString(length: end - view.startIndex + 1) ?? ""
                return String(line.dropLast())
            }
            try await fill()
        }
    }

    private func fill() async throws {
        guard var more = try await input.next() else { throw EndOfStream() }
        if buffer.readableBytes == 0 { buffer = more } else { buffer.writeBuffer(&more) }
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}

/// Connects to 127.0.0.1 and passes the connection to `body`.
package func withRawConnection<Result: Sendable>(
    to port: Int,
    _ body: (RawConnection) async throws -> Result
) async throws -> Result {
    try await withRawConnection(to: SocketAddress(ipAddress: "127.0.0.1", port: port), body)
}

/// Connects to 127.0.0.1 over TLS, whatever the certificate, offers one protocol (RFC 7301) and what `configure` sets,
/// and passes the connection to `body`.
package func withRawConnection<Result: Sendable>(
    to port: Int,
    offering protocolName: String,
    configure: (inout TLSConfiguration) -> Void = { _ in },
    _ body: (RawConnection) async throws -> Result
) async throws -> Result {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateVerification = .none
    configuration.applicationProtocols = [protocolName]
    configure(&configuration)
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
    return try await withRawConnection(to: address, tls: NIOSSLContext(configuration: configuration), body)
}

/// Connects to an address, over TLS when there is a context, and passes the connection to `body`.
package func withRawConnection<Result: Sendable>(
    to address: SocketAddress,
    tls context: NIOSSLContext? = nil,
    _ body: (RawConnection) async throws -> Result
) async throws -> Result {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        // A small and known buffer in the kernel for a client that doesn't read.
        .channelOption(.socketOption(.so_rcvbuf), value: 64 << 10)
        .connect(to: address) { channel in
            channel.eventLoop.makeCompletedFuture {
                if let context {
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
                return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)
                )
            }
        }
    return try await channel.executeThenClose { input, output in try await body(RawConnection(input, output)) }
}

/// A response as it arrived, with its body decoded from chunks.
package struct RawResponse: Sendable {
    package let statusLine: String
    package let fields: [(name: String, value: String)]
    package var body: [UInt8] = []

    package init(head: String) {
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
        statusLine = lines.first ?? ""
        fields = lines.dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), String(line[line.index(after: colon)...].drop { $0 == " " }))
        }
    }

    /// The head of an HTTP/2 response.
    package init(fields: [(name: String, value: String)]) {
        self.fields = fields.filter { $0.name != ":status" }
        statusLine = "HTTP/2 \(fields.first { $0.name == ":status" }?.value ?? "")"
    }

    /// A response that was carried another way.
    package init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.init(fields: [(":status", "\(status)")] + fields.map { ($0.name.lowercased(), $0.value) })
        self.body = body
    }

    package var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of the only field with this name, or nil when there is none or more than one.
    package subscript(_ name: String) -> String? {
        let values = fields.filter { $0.name == name.lowercased() }.map(\.value)
        return values.count == 1 ? values.first : nil
    }
}
