// Usage: Tutorial FOLDER ARCHIVE SITE

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

let arguments = CommandLine.arguments
let shop = try Shop(folder: URL(fileURLWithPath: arguments[1]))
try await shop.prepare(shipped: URL(fileURLWithPath: arguments[2]))

let url = URL(string: arguments[3] + "/shop/")!
let page = try await shop.load(url)
print("\(page.content.count) bytes of \(page.mediaType)")

let (data, _) = try await shop.session().data(from: url)
print("the session has \(data.count) bytes")

print(try await shop.update() ? "there is a new version" : "this is the latest version")
