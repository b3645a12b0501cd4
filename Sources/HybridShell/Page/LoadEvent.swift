/// What becomes of the page in the window.
enum LoadEvent: Equatable, Sendable {
    case began
    /// It has loaded from a URL, with the status of its response; 0 when there is none.
    case finished(url: String, status: Int)
    /// It can't be loaded, or its process has ended.
    case failed
}
