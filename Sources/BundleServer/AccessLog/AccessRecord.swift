import BundleNetwork
import Foundation

/// What is worth knowing of a request that was answered.
struct AccessRecord {
    /// When the request was read.
    var time: Date
    /// The client's IP address; absent for a Unix socket.
    var client: LogText
    /// Absent for what isn't a request.
    var method: LogText
    /// As it was sent, with its query.
    var target: LogText
    /// As it was sent, with its port.
    var host: LogText
    /// Such as `HTTP/1.1`; absent for what isn't a request.
    var version: LogText
    var referrer: LogText
    var userAgent: LogText
    /// 100 to 599.
    var status: Int
    /// The body's bytes that were handed to the connection.
    var byteCount: Int
    /// From the request's head to the response's last byte.
    var duration: Duration
    var source: ResponseSource

    /// The same, to be kept for longer than the request's bytes are there.
    var owned: AccessRecord {
        var record = self
        for text in [\AccessRecord.client, \.method, \.target, \.host, \.version, \.referrer, \.userAgent] {
            record[keyPath: text] = record[keyPath: text].owned
        }
        return record
    }
}
