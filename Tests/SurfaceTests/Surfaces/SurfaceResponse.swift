/// What a surface gave. A value type.
struct SurfaceResponse: Sendable {
    let status: Int
    /// By name in lower case; several lines of a field are joined with commas.
    let fields: [String: String]
    let body: [UInt8]

    init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.fields = Dictionary(fields.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
        self.body = body
    }
}
