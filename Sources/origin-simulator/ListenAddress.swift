import ArgumentParser

/// `HOST:PORT` on the command line.
struct ListenAddress: ExpressibleByArgument, CustomStringConvertible {
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
