import BundleTesting
import Foundation
import HTTPTypes
import OfflineBundles
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a session promises, kept by its URLProtocol.
@Suite("A session", .timeLimit(.minutes(5)))
struct SessionSemanticsTests {
    // MARK: Redirects

    @Test("may refuse a redirect, and gets it as the response then")
    func refusedRedirect() async throws {
        try await withLoading { app in
            app.origin.route("/shop/old", to: ScriptedResponse(status: .found, fields: [.location: "new"], body: [65]))
            let delegate = RecordingDelegate(redirecting: { _ in nil })
            let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
            session.dataTask(with: app.url("old")).resume()
            let record = try await delegate.waitForEnds()
            #expect(record.responses == [302])
            #expect(record.body == Data([65]))
            #expect(app.origin.requestedPaths == ["/shop/old"])
        }
    }

    @Test("may lead a redirect elsewhere, also to what the client doesn't cover")
    func changedRedirect() async throws {
        try await withLoading { app in
            app.origin.route("/shop/old", to: ScriptedResponse(status: .found, fields: [.location: "/elsewhere"]))
            app.origin.route("/elsewhere", to: ScriptedResponse("elsewhere"))
            app.origin.route("/shop/other", to: ScriptedResponse("other"))
            let text = try await app.session().text(app.url("old")).text
            #expect(text == "elsewhere")
            let other = app.request("other")
            let delegate = RecordingDelegate(redirecting: { _ in other })
            let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
            session.dataTask(with: app.url("old")).resume()
            let record = try await delegate.waitForEnds()
            #expect(record.body == Data("other".utf8))
        }
    }

    @Test("is redirected twenty times at most, and to http and https only")
    func redirectLimits() async throws {
        try await withLoading { app in
            app.origin.route("/shop/loop", to: ScriptedResponse(status: .found, fields: [.location: "loop"]))
            app.origin.route(
                "/shop/file",
                to: ScriptedResponse(status: .found, fields: [.location: "file:///etc/passwd"])
            )
            for (path, code) in [("loop", URLError.Code.httpTooManyRedirects), ("file", .unsupportedURL)] {
                let error = await #expect(throws: URLError.self) { try await app.session().text(app.url(path)) }
                #expect(error?.code == code)
            }
            #expect(app.origin.requestedPaths.filter { $0 == "/shop/loop" }.count == 21)
        }
    }

    @Test("sends content again where a redirect keeps the method", arguments: [(307, "POST abc"), (303, "GET ")])
    func redirectedContent(_ status: Int, _ expected: String) async throws {
        try await withLoading([:], { $0.coversAllOrigins = true }) { app in
            try await withTalkingOrigin { peer in
                while true {
                    let request = try await peer.request()
                    let method = request.statusLine.split(separator: " ").first ?? ""
                    if request.statusLine.contains("/first") {
                        try await peer.send("HTTP/1.1 \(status) X\r\nLocation: /second\r\nContent-Length: 0\r\n\r\n")
                    } else {
                        try await peer.respond("\(method) \(String(decoding: request.body, as: UTF8.self))")
                    }
                }
            } _: { origin in
                var request = URLRequest(url: try #require(URL(string: "http://\(origin.authority)/first")))
                request.httpMethod = "POST"
                request.httpBody = Data("abc".utf8)
                let text = try await app.session().text(request).text
                #expect(text == expected)
            }
        }
    }

    // MARK: Cookies

    @Test("keeps the cookies of responses, and sends them, unless a request wants none")
    func cookies() async throws {
        try await withLoading { app in
            app.origin.route(
                "/shop/a",
                to: ScriptedResponse(fields: [.setCookie: "a=1; Path=/shop/", .cacheControl: "no-store"])
            )
            let configuration = app.configuration()
            let session = URLSession(configuration: configuration)
            for _ in 0..<2 { _ = try await session.text(app.url("a")) }
            _ = try await session.text(app.request("a") { $0.httpShouldHandleCookies = false })
            _ = try await session.text(app.request("a") { $0.setValue("b=2", forHTTPHeaderField: "Cookie") })
            let sent = app.origin.requests.map { $0.headerFields[.cookie] }
            #expect(sent.prefix(3) == [nil, "a=1", nil])
            #expect(configuration.httpCookieStorage?.cookies(for: app.url("a"))?.map(\.name) == ["a"])
            // Another session has other cookies.
            _ = try await app.session().text(app.url("a"))
            #expect(app.origin.requests.last?.headerFields[.cookie] == nil)
        }
    }

    @Test("keeps a cookie for the whole origin where the origin says so, and not for the bundle's path alone")
    func originCookies() async throws {
        try await withLoading { app in
            app.origin.route(
                "/shop/login",
                to: ScriptedResponse(fields: [.setCookie: "a=1; Path=/", .cacheControl: "no-store"])
            )
            let configuration = app.configuration()
            _ = try await URLSession(configuration: configuration).text(app.url("login"))
            let elsewhere = try #require(URL(string: "\(app.origin.baseURL)/account"))
            #expect(configuration.httpCookieStorage?.cookies(for: elsewhere)?.map(\.name) == ["a"])
        }
    }

    @Test("takes no cookies where it isn't to", arguments: [true, false])
    func noCookies(isConfigured: Bool) async throws {
        try await withLoading { app in
            app.origin.route("/shop/a", to: ScriptedResponse(fields: [.setCookie: "a=1", .cacheControl: "no-store"]))
            let configuration = app.configuration()
            if isConfigured { configuration.httpCookieAcceptPolicy = .never }
            let session = URLSession(configuration: configuration)
            _ = try await session.text(app.request("a") { $0.httpShouldHandleCookies = isConfigured })
            #expect(configuration.httpCookieStorage?.cookies(for: app.url("a"))?.isEmpty != false)
        }
    }

    // MARK: Credentials

    @Test("is asked for credentials, sends what it gives, and asks again when that is refused")
    func credentials() async throws {
        try await withLoading { app in
            Self.protect(app, "user:right")
            let delegate = RecordingDelegate(deciding: { challenge in
                let password = challenge.previousFailureCount == 0 ? "wrong" : "right"
                return (.useCredential, URLCredential(user: "user", password: password, persistence: .none))
            })
            let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
            session.dataTask(with: app.url("a")).resume()
            let record = try await delegate.waitForEnds()
            #expect(record.challenges == ["shop 0", "shop 1"])
            #expect(record.responses == [200])
            #expect(record.body == Data("secret".utf8))
            #expect(app.origin.requests.count == 3)
        }
    }

    @Test("may refuse a challenge, or cancel the task for it")
    func refusedChallenges() async throws {
        try await withLoading { app in
            Self.protect(app, "user:right")
            for (disposition, responses, end) in [
                (URLSession.AuthChallengeDisposition.rejectProtectionSpace, [401], nil),
                (.performDefaultHandling, [401], nil), (.cancelAuthenticationChallenge, [], URLError.Code.cancelled),
            ] {
                let delegate = RecordingDelegate(deciding: { _ in (disposition, nil) })
                let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
                session.dataTask(with: app.url("a")).resume()
                let record = try await delegate.waitForEnds()
                #expect(record.responses == responses)
                #expect(record.ends == [end])
                #expect(record.challenges == ["shop 0"])
            }
        }
    }

    @Test("uses the credentials of its storage, and those in the URL, without asking")
    func storedCredentials() async throws {
        try await withLoading { app in
            Self.protect(app, "user:right")
            let configuration = app.configuration()
            let space = URLProtectionSpace(
                host: "127.0.0.1",
                port: app.url("").port ?? 0,
                protocol: "http",
                realm: "shop",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic
            )
            let storage = try #require(configuration.urlCredentialStorage)
            storage.setDefaultCredential(
                URLCredential(user: "user", password: "right", persistence: .forSession),
                for: space
            )
            #expect(try await URLSession(configuration: configuration).text(app.url("a")).text == "secret")
            let text = app.url("a").absoluteString.replacingOccurrences(of: "http://", with: "http://user:right@")
            let url = try #require(URL(string: text))
            #expect(try await app.session().text(url).text == "secret")
            #expect(try await app.session().text(app.url("a")).response.statusCode == 401)
        }
    }

    private static func protect(_ app: LoadingFixture, _ credentials: String) {
        let authorized = "Basic \(Data(credentials.utf8).base64EncodedString())"
        app.origin.route("/shop/a") { request in
            guard request.headerFields[.authorization] == authorized else {
                return ScriptedResponse(status: .unauthorized, fields: [.wwwAuthenticate: "Basic realm=\"shop\""])
            }
            return ScriptedResponse("secret")
        }
    }

    // MARK: The cache

    @Test(
        "has the cache policy of a request mean what RFC 9111 says",
        arguments: [
            (URLRequest.CachePolicy.useProtocolCachePolicy, false, "1"), (.reloadIgnoringLocalCacheData, false, "2"),
            (.reloadIgnoringLocalAndRemoteCacheData, false, "2"), (.reloadRevalidatingCacheData, false, "2"),
            (.returnCacheDataElseLoad, false, "1"), (.returnCacheDataDontLoad, false, "1"),
            (.useProtocolCachePolicy, true, "2"), (.returnCacheDataElseLoad, true, "1"),
            (.returnCacheDataDontLoad, true, "1"),
        ]
    )
    func cachePolicies(_ policy: URLRequest.CachePolicy, isStale: Bool, _ expected: String) async throws {
        try await withLoading { app in
            let count = Monitor(0)
            app.origin.route("/shop/a") { _ in
                let number = count.update { count in
                    count += 1
                    return count
                }
                let field = isStale ? "max-age=0" : "max-age=600"
                return ScriptedResponse(fields: [.cacheControl: field], body: Array("\(number)".utf8))
            }
            let session = app.session()
            _ = try await session.text(app.url("a"))
            #expect(try await session.text(app.request("a") { $0.cachePolicy = policy }).text == expected)
            // The policy of a configuration counts where the request has none.
            let configuration = app.configuration()
            configuration.requestCachePolicy = policy
            _ = try await URLSession(configuration: configuration).text(app.url("a"))
            #expect(count.state == (expected == "1" ? 1 : 3))
        }
    }

    @Test("has an error for what isn't stored and mayn't be loaded")
    func onlyStored() async throws {
        try await withLoading { app in
            let request = app.request("a") { $0.cachePolicy = .returnCacheDataDontLoad }
            let error = await #expect(throws: URLError.self) { try await app.session().text(request) }
            #expect(error?.code == .resourceUnavailable)
            #expect(app.origin.requests.isEmpty)
        }
    }

    // MARK: Errors

    @Test("has URLSession's own error for each failure of the network")
    func failures() async throws {
        try await withLoading(transport: URLSessionTransport(), { $0.coversAllOrigins = true }) { app in
            let session = app.session()
            for (url, code) in [
                ("http://nowhere.invalid/", URLError.Code.cannotFindHost),
                ("http://127.0.0.1:9/", .cannotConnectToHost),
            ] {
                let url = try #require(URL(string: url))
                let error = await #expect(throws: URLError.self) { try await session.text(url) }
                #expect(error?.code == code)
                #expect(error?.failingURL == url)
                let native = await #expect(throws: URLError.self) {
                    try await URLSession(configuration: .ephemeral).text(url)
                }
                #expect(native?.code == code)
            }
        }
    }

    @Test("is told that there is no network, when there is none")
    func offline() async throws {
        try await withLoading(transport: nil) { app in
            let error = await #expect(throws: URLError.self) { try await app.session().text(app.url("a")) }
            #expect(error?.code == .notConnectedToInternet)
        }
        try await withLoading { app in
            app.client.link.isUp = false
            let error = await #expect(throws: URLError.self) { try await app.session().text(app.url("a")) }
            #expect(error?.code == .notConnectedToInternet)
            #expect(app.origin.requests.isEmpty)
        }
    }

    @Test("gives a silent origin up after the time of the request, or the transport's")
    func timeOut() async throws {
        for (transport, isRequest) in [
            (URLSessionTransport(), true), (URLSessionTransport(firstByteTimeout: .milliseconds(50)), false),
        ] {
            try await withLoading(transport: transport) { app in
                app.origin.fail("/shop/a", with: [.hold(Latch())])
                let request = app.request("a") { if isRequest { $0.timeoutInterval = 0.05 } }
                let error = await #expect(throws: URLError.self) { try await app.session().text(request) }
                #expect(error?.code == .timedOut)
            }
        }
    }

    @Test("is told that a body broke off")
    func cut() async throws {
        try await withLoading { app in
            app.origin.route("/shop/a", to: ScriptedResponse(body: [UInt8](repeating: 1, count: 4_000)))
            app.origin.fail("/shop/a", with: [.close(afterBodyBytes: 1_000)])
            let error = await #expect(throws: URLError.self) { try await app.session().text(app.url("a")) }
            #expect(error?.code == .networkConnectionLost)
        }
    }

    // MARK: Cancellation

    @Test("hears nothing of a cancelled task but its end, whenever it is cancelled", arguments: 0..<24)
    func cancellation(_ step: Int) async throws {
        try await withLoading(["big.json": String(repeating: "0123456789", count: 200_000)]) { app in
            let latch = Latch()
            if step % 3 == 0 { latch.open() }
            app.origin.route("/shop/a") { _ in
                try await latch.wait()
                return ScriptedResponse(body: [UInt8](repeating: 1, count: 2_000_000))
            }
            let isCancelled = Monitor(false)
            let delegate = RecordingDelegate(receiving: { task, _ in
                if step % 4 == 1 { task.cancel() }
            })
            let session = URLSession(configuration: app.configuration(), delegate: delegate, delegateQueue: nil)
            let task = session.dataTask(with: app.url(step % 2 == 0 ? "a" : "big.json"))
            task.resume()
            if step % 4 != 1 {
                for _ in 0..<(step * 3) { await Task.yield() }
                task.cancel()
            }
            isCancelled.update { $0 = true }
            let record = try await delegate.waitForEnds()
            #expect(record.ends == [.cancelled] || record.ends == [nil])
            latch.open()
            // Another task ends after whatever the first one might still be told.
            session.dataTask(with: app.url("")).resume()
            let later = try await delegate.waitForEnds(2)
            #expect(later.ends.count == 2)
            #expect(later.responses.count <= record.responses.count + 1)
        }
    }

    @Test("ends the request to the origin with a cancelled task")
    func cancelledRequest() async throws {
        let latch = Latch()
        try await withTalkingOrigin { peer in
            _ = try await peer.head()
            latch.open()
            await peer.waitForEnd()
        } _: { origin in
            try await withLoading([:], { $0.coversAllOrigins = true }) { app in
                let url = try #require(URL(string: "http://\(origin.authority)/a"))
                let session = app.session()
                let task = Task { try await session.text(URLRequest(url: url)).text }
                try await latch.wait()
                task.cancel()
                await #expect(throws: (any Error).self) { try await task.value }
                try await origin.waitForEnds()
            }
        }
    }
}

extension HTTPField.Name {
    fileprivate static let wwwAuthenticate = HTTPField.Name("WWW-Authenticate") ?? .authorization
}
