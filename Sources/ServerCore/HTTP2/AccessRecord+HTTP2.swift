import Foundation

extension AccessRecord {
    /// The record of an HTTP/2 request, without its response.
    init(_ block: HTTP2FieldBlock, from client: LogText, at time: Date) {
        self.init(from: client, at: time)
        version = .string("HTTP/2.0")
        block.forEach { (name, value) throws(Never) in
            let text = LogText.copy(Array(value))
            switch String(decoding: name, as: UTF8.self) {
            case ":method": method = text
            case ":path": target = text
            case ":authority": host = text
            case "referer": referrer = text
            case "user-agent": userAgent = text
            default: break
            }
        }
    }
}
