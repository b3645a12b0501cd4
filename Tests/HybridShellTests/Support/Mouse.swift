import BundleTesting
import Foundation

/// The mouse of a screen, moved as a user would: by the X server's extension XTEST, in the X11 protocol itself, so that the
/// tests need no further library.
final class Mouse {
    enum Button: UInt8 {
        case left = 1
        case right = 3
    }

    struct Failure: Error {
        let message: String
    }

    private enum Event {
        static let buttonPress: UInt8 = 4
        static let buttonRelease: UInt8 = 5
        static let motion: UInt8 = 6
    }

    private let socket: Int32
    private var extensionCode: UInt8 = 0

    init(of display: Display) throws {
        socket = Foundation.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("/tmp/.X11-unix/X\(display.name.dropFirst())".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else { throw Failure(message: "no connection to the display \(display.name)") }
        // The lowest byte first, version 11.0, without a credential.
        try send([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let start = try receive(8)
        guard start[0] == 1 else { throw Failure(message: "the display \(display.name) takes no connection") }
        _ = try receive(4 * (Int(start[6]) | Int(start[7]) << 8))
        let query = try request([98, 0, 4, 0, 5, 0, 0, 0] + Array("XTEST".utf8) + [0, 0, 0])
        guard query[8] == 1 else { throw Failure(message: "the display \(display.name) has no XTEST") }
        extensionCode = query[9]
    }

    deinit {
        close(socket)
    }

    /// Moves to a place, presses and releases.
    func click(_ button: Button, x: Int, y: Int) throws {
        try move(x: x, y: y)
        try fake(Event.buttonPress, button.rawValue)
        try fake(Event.buttonRelease, button.rawValue)
    }

    func move(x: Int, y: Int) throws {
        try fake(Event.motion, 0, x: x, y: y)
    }

    /// Returns once the server has done it.
    private func fake(_ type: UInt8, _ detail: UInt8, x: Int = 0, y: Int = 0) throws {
        let place = [x & 0xff, x >> 8, y & 0xff, y >> 8].map { UInt8($0) }
        try send(
            [extensionCode, 2, 9, 0, type, detail] + [UInt8](repeating: 0, count: 18) + place
                + [UInt8](repeating: 0, count: 8)
        )
        // GetInputFocus, for its reply.
        _ = try request([43, 0, 1, 0])
    }

    /// The reply to a request, of which only the first 32 bytes matter; events before it are left out.
    private func request(_ bytes: [UInt8]) throws -> [UInt8] {
        try send(bytes)
        while true {
            let message = try receive(32)
            if message[0] == 1 { return message }
            guard message[0] != 0 else { throw Failure(message: "the X server reports error \(message[1])") }
        }
    }

    private func send(_ bytes: [UInt8]) throws {
        guard write(socket, bytes, bytes.count) == bytes.count else { throw Failure(message: "the X server has gone") }
    }

    private func receive(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard count == 0 || recv(socket, &bytes, count, Int32(MSG_WAITALL)) == count else {
            throw Failure(message: "the X server has gone")
        }
        return bytes
    }
}
