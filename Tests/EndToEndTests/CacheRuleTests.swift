import BundleTesting
import HTTPTypes
import Testing

/// The options of `serve` that say for whom its cache is, with a real origin.
struct CacheRuleTests {
    /// Serves `mine` with these response fields from an origin that counts, on two servers, one after the other, with the
    /// same store. Returns the Cache-Status of three requests to the first and two to the second.
    private func ask(
        _ fields: HTTPFields,
        _ first: [String],
        then second: [String]
    ) async throws -> [String] {
        try await withOriginServer { origin in
            var response = ScriptedResponse("mine")
            response.fields.append(contentsOf: fields)
            origin.route("/shop/mine", to: response)
            return try await withTemporaryDirectory { folder in
                let bundlectl = Bundlectl(store: folder.path(of: "store"))
                let origins = #"[{"url": "\#(origin.baseURL)/shop/"}]"#
                let manifest = #"{"name": "shop", "version": "1", "origins": \#(origins)}"#
                try folder.write(tree: ["index.html": "shop", "bundle.json": manifest], to: "shop")
                let archive = folder.path(of: "shop.zip")
                try await bundlectl.expect(0, "pack", folder.path(of: "shop"), archive)
                try await bundlectl.expect(0, "install", archive)
                var statuses: [String] = []
                for (options, count) in [(first, 3), (second, 2)] {
                    try await bundlectl.serving(options) { address, server in
                        for _ in 0..<count {
                            let response = try await Curl.get("\(address)/shop/mine", "-H", "Authorization: me")
                            #expect(response.text == "mine")
                            let isHit = response["cache-status"]?.contains("; hit") == true
                            statuses.append(isHit ? "hit" : "miss")
                        }
                        try await server.terminate()
                    }
                }
                return statuses
            }
        }
    }

    @Test func `a gateway of several users keeps nothing private, and serves nothing that one user's server has kept`()
        async throws
    {
        let fields: HTTPFields = [.cacheControl: "private, max-age=1000"]
        let statuses = try await ask(fields, [], then: ["--shared-cache"])
        #expect(statuses == ["miss", "hit", "hit", "miss", "miss"])
    }

    @Test func `what several users may share is shared by both`() async throws {
        let fields: HTTPFields = [.cacheControl: "public, max-age=1000"]
        let statuses = try await ask(fields, ["--shared-cache"], then: [])
        #expect(statuses == ["miss", "hit", "hit", "hit", "hit"])
    }

    @Test func `a targeted field replaces Cache-Control where the server is told to obey it`() async throws {
        let targeted = try #require(HTTPField.Name("CDN-Cache-Control"))
        let fields: HTTPFields = [.cacheControl: "no-store", targeted: "public, max-age=1000"]
        let statuses = try await ask(fields, ["--targeted-cache-control", "cdn-cache-control"], then: [])
        #expect(statuses == ["miss", "hit", "hit", "miss", "miss"])
    }
}
