import ArgumentParser
import BundleTesting
import Foundation
import HTTPTypes
import UnixSignals

/// The `origin-simulator` command: a publisher's origin on loopback, for the demo and the end-to-end tests.
@main
struct OriginSimulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "origin-simulator",
        abstract: "Serve a folder over HTTP as a publisher's origin would.",
        discussion: """
            Files come with ETag, Last-Modified, Cache-Control and byte ranges. Each request is written to standard \
            output with its status. SIGINT or SIGTERM ends it.

            Example: origin-simulator public --listen 127.0.0.1:8080 --max-age 5
            """
    )

    @Argument(help: "The folder to serve.", completion: .directory)
    var folder: String

    @Option(help: "Where to listen; port 0 takes a free one.")
    var listen = SimulatorAddress(host: "127.0.0.1", port: 0)

    @Option(help: "For how many seconds a client may keep a file as fresh.")
    var maxAge = 60

    func validate() throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
            throw ValidationError("\(folder) is not a folder; name one that exists.")
        }
        guard maxAge >= 0 else { throw ValidationError("--max-age must not be negative.") }
    }

    func run() async throws {
        let origin = OriginServer(
            host: listen.host,
            port: listen.port,
            files: OriginFiles(folder: folder, maxAge: maxAge),
            accessLog: { request, status in
                StandardOutput.writeLine("\(request.method.rawValue) \(request.path ?? "/") \(status.code)")
            }
        )
        // Trapped before the address is announced: the reader of that line may send a signal right after it.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        do {
            try await origin.start()
        } catch {
            throw ListenFailure(address: listen, cause: error)
        }
        StandardOutput.writeLine("listening on \(origin.baseURL)")
        for await _ in signals { break }
        await origin.stop()
    }
}

/// `HOST:PORT` on the command line.
struct SimulatorAddress: ExpressibleByArgument, CustomStringConvertible {
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), colon != argument.startIndex,
            let port = UInt16(argument[argument.index(after: colon)...])
        else { return nil }
        self.init(host: String(argument[..<colon]), port: Int(port))
    }

    var description: String { "\(host):\(port)" }

    var defaultValueDescription: String { description }
}

/// Listening on the address failed, usually because another program uses it.
struct ListenFailure: Error, CustomStringConvertible {
    let address: SimulatorAddress
    let cause: any Error

    var description: String { "can't listen on \(address): \(cause); choose another address with --listen" }
}

/// Standard output, one unbuffered line at a time: a program at the other end of a pipe waits for these lines.
enum StandardOutput {
    static func writeLine(_ line: String) {
        // Writing to a closed pipe is not an error: the server goes on.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
