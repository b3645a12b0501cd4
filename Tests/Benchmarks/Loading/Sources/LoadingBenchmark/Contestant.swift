import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session and the URL that it loads, with the times that this takes.
struct Contestant {
    let name: String
    let url: URL
    let session: URLSession
    /// In microseconds.
    private(set) var times: [Double] = []

    init(_ name: String, _ url: URL, _ session: URLSession) {
        (self.name, self.url, self.session) = (name, url, session)
    }

    var median: Double { times.sorted()[times.count / 2] }

    /// Lets contestants load in turn, one at a time, and prints the first one's median beside those of the others.
    static func compare(
        _ contestants: [Contestant],
        rounds: Int,
        as title: String,
        _ load: (URL, URLSession) -> Double
    ) {
        var contestants = contestants
        for _ in 0..<rounds {
            for index in contestants.indices {
                contestants[index].times.append(load(contestants[index].url, contestants[index].session))
            }
        }
        let (first, others) = (contestants[0].median, contestants.dropFirst())
        print("\(title), \(contestants[0].name): \(Int(first)) µs")
        for other in others {
            let ratio = String(format: "%.2f", first / other.median)
            print("    ratio \(ratio) to \(other.name): \(Int(other.median)) µs")
        }
    }
}
