import BundleNetwork
import Foundation

/// What an access log records of a request and its response.
struct AccessRecord {
    /// When the request was read.
    var time: Date
    /// The client's IP address; absent for a Unix socket.
    var client: LogText
    /// Absent for an invalid request.
    var method: LogText
    /// As it was sent, with its query.
    var target: LogText
    /// As it was sent, with its port.
    var host: LogText
    /// Such as `HTTP/1.1`; absent for an invalid request.
    var version: LogText
    var referrer: LogText
    var userAgent: LogText
    /// 100 to 599.
    var status: Int
    /// The number of body bytes that were passed to the connection.
    var byteCount: Int
    /// From the request's head to the response's last byte.
    var duration: Duration
    var source: ResponseSource

    /// A copy that is valid for longer than the request's bytes.
    var owned: AccessRecord {
        var record = self
        for text in [\AccessRecord.client, \.method, \.target, \.host, \.version, \.referrer, \.userAgent] {
            record[keyPath: text] = record[keyPath: text].owned
        }
        return record
    }
}
