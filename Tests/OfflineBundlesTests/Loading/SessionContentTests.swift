import BundleTesting
import Foundation
import OfflineBundles
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The content of a session's requests, which its URLProtocol sends.
@Suite("A session", .timeLimit(.minutes(5)))
struct SessionContentTests {
    @Test("sends the content of a POST, as data and from a stream", arguments: [true, false])
    func content(isStream: Bool) async throws {
        try await withLoading([:], { $0.coversAllOrigins = true }) { app in
            try await withTalkingOrigin { peer in
                while true {
                    let request = try await peer.request()
                    try await peer.respond("\(request.body.count) \(request["content-type"] ?? "")")
                }
            } _: { origin in
                for count in [1, 2_000_000] {
                    var request = URLRequest(url: try #require(URL(string: "http://\(origin.authority)/")))
                    let data = Data(repeating: 1, count: count)
                    request.httpMethod = "POST"
                    request.setValue("text/x", forHTTPHeaderField: "Content-Type")
                    if isStream {
                        request.httpBodyStream = InputStream(data: data)
                    } else {
                        request.httpBody = data
                    }
                    let text = try await app.session().text(request).text
                    #expect(text == "\(count) text/x")
                }
            }
        }
    }

    @Test(
        "sends the content of a stream again for a redirect or a challenge: a long one from a new stream, if there is one",
        arguments: [(3, false), (2_000_000, true), (2_000_000, false)],
        [307, 401]
    )
    func contentAgain(_ content: (byteCount: Int, isRenewed: Bool), _ status: Int) async throws {
        try await withLoading([:], { $0.coversAllOrigins = true }) { app in
            try await withTalkingOrigin { peer in
                while true {
                    let request = try await peer.request()
                    if request.statusLine.contains("/second") || request["authorization"] != nil {
                        try await peer.respond("\(request.body.count)")
                    } else {
                        let fields = "Location: /second\r\nWWW-Authenticate: Basic realm=\"shop\"\r\nContent-Length: 0"
                        try await peer.send("HTTP/1.1 \(status) X\r\n\(fields)\r\n\r\n")
                    }
                }
            } _: { origin in
                let data = Data(repeating: 1, count: content.byteCount)
                let delegate = RecordingDelegate(
                    deciding: { _ in (.useCredential, URLCredential(user: "a", password: "b", persistence: .none)) },
                    content: content.isRenewed ? data : nil
                )
                let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
                var request = URLRequest(url: try #require(URL(string: "http://\(origin.authority)/first")))
                request.httpMethod = "POST"
                request.httpBodyStream = InputStream(data: data)
                session.dataTask(with: request).resume()
                let record = try await delegate.waitForEnds()
                if content.byteCount == 3 || content.isRenewed {
                    #expect(String(decoding: record.body, as: UTF8.self) == "\(content.byteCount)")
                    #expect(record.ends == [nil])
                } else {
                    #expect(record.responses == (status == 401 ? [401] : []))
                    #expect(record.ends == [status == 401 ? nil : .requestBodyStreamExhausted])
                }
            }
        }
    }

    @Test("fails when the file of an upload is missing, and sends no empty content")
    func missingFile() async throws {
        try await withLoading { app in
            var request = app.request("a")
            request.httpMethod = "POST"
            let file = URL(fileURLWithPath: "\(app.folder)/missing")
            let error = await #expect(throws: URLError.self) {
                try await app.session().upload(for: request, fromFile: file)
            }
            #expect(error?.code == .fileDoesNotExist)
            #expect(app.origin.requests.isEmpty)
        }
    }
}
