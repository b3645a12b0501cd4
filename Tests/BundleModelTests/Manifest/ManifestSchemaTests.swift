import BundleTesting
import Foundation
import Testing

@testable import BundleModel

@Suite("The manifest's JSON Schema")
struct ManifestSchemaTests {
    static let bundles = Project.root.appending(path: "bundles")

    static let samples = ["shop/1.0.0/bundle.json", "shop/1.1.0/bundle.json"]

    let schema: JSONSchema

    init() throws {
        schema = try JSONSchema(Self.bytes(of: "manifest.schema.json"))
    }

    static func bytes(of path: String) throws -> [UInt8] {
        try Array(Data(contentsOf: bundles.appending(path: path)))
    }

    private func keys(_ schema: JSONObject) -> Set<String> {
        Set(schema.members.map(\.key))
    }

    @Test("has the same keys as the parser, at every level")
    func keys() throws {
        let top = try keys(schema.schema(at: "properties")).subtracting([BundleManifest.Key.schemaReference])
        #expect(top == Set(BundleManifest.Key.allCases.map(\.rawValue)))
        let origin = try schema.schema(at: "properties", "origins", "items", "properties")
        #expect(keys(origin) == Set(OriginMapping.Key.allCases.map(\.rawValue)))
        let fallback = try schema.schema(at: "properties", "fallback", "properties")
        #expect(keys(fallback) == Set(RouteFallback.Key.allCases.map(\.rawValue)))
        let health = try schema.schema(at: "properties", "health", "properties")
        #expect(keys(health) == Set(HealthTerms.Key.allCases.map(\.rawValue)))
        let network = try schema.schema(at: "properties", "network", "properties")
        #expect(keys(network) == Set(NetworkRules.Key.allCases.map(\.rawValue)))
        let rule = try schema.schema(at: "$defs", "networkRule", "properties")
        #expect(keys(rule) == Set(NetworkRule.Key.allCases.map(\.rawValue)))
        let parts: [(String, [String])] = [
            ("match", RuleMatch.Key.allCases.map(\.rawValue)), ("redirect", RuleRedirect.Key.allCases.map(\.rawValue)),
            ("requestFields", FieldEdit.Key.allCases.map(\.rawValue)), ("mock", RuleMock.Key.allCases.map(\.rawValue)),
            ("rewrite", URLRewrite.Key.allCases.map(\.rawValue)),
        ]
        for (key, expected) in parts {
            let part = try schema.schema(at: "$defs", "networkRule", "properties", key, "properties")
            #expect(keys(part) == Set(expected))
        }
    }

    @Test("requires what the parser requires")
    func required() throws {
        let required = Set(try JSONSchema.strings(schema.root["required"]))
        #expect(required == Set(BundleManifest.Key.required.map(\.rawValue)))
    }

    @Test("states the parser's defaults")
    func defaults() throws {
        let properties = try JSONSchema.object(schema.root["properties"] ?? .null)
        let entry = try JSONSchema.object(properties["entry"] ?? .null)
        #expect(entry["default"] == .string(BundleManifest.defaultEntry.string))
        #expect(try schema.schema(at: "properties", "channel")["default"] == .string(BundleManifest.defaultChannel))
        let path = try schema.schema(at: "properties", "origins", "items", "properties", "path")
        #expect(try path["default"] == .string(OriginMapping(origin: OriginURL("http://a")).path))
        let routes = try schema.schema(at: "properties", "fallback", "properties", "routes")
        #expect(routes["default"] == .array(RouteFallback.defaultRoutes.map { .string($0.string) }))
    }

    @Test("states the parser's limits")
    func limits() throws {
        let properties = try JSONSchema.object(schema.root["properties"] ?? .null)
        let routes = try schema.schema(at: "properties", "fallback", "properties", "routes")
        let limits = try [
            (JSONSchema.object(properties["headers"] ?? .null)["maxProperties"], ManifestLimits.headerPatternCount),
            (JSONSchema.object(properties["mediaTypes"] ?? .null)["maxProperties"], ManifestLimits.mediaTypeCount),
            (JSONSchema.object(properties["origins"] ?? .null)["maxItems"], ManifestLimits.originCount),
            (JSONSchema.object(properties["immutable"] ?? .null)["maxItems"], ManifestLimits.immutableCount),
            (routes["maxItems"], ManifestLimits.routeCount),
            (schema.schema(at: "properties", "network", "properties", "rules")["maxItems"], NetworkRules.maximumCount),
            (
                schema.schema(at: "properties", "network", "properties", "precache")["maxItems"],
                NetworkRules.maximumPrecacheCount
            ),
            (schema.schema(at: "$defs", "milliseconds")["maximum"], Int(Milliseconds.maximum)),
            (schema.schema(at: "$defs", "fieldEdit", "properties", "remove")["maxItems"], FieldEdit.maximumCount),
        ]
        for (keyword, limit) in limits { #expect(keyword == .number(JSONNumber(wellFormed: "\(limit)"))) }
    }

    @Test("accepts each sample, and so does the parser, without a warning", arguments: samples)
    func sample(_ path: String) throws {
        let json = try Self.bytes(of: path)
        try schema.validate(JSONParser.parse(json))
        let parsed = try BundleManifest.parse(json)
        #expect(parsed.warnings.isEmpty)
        #expect(try BundleManifest.parse(parsed.manifest.encoded()).manifest == parsed.manifest)
        #expect("shop/\(parsed.manifest.version)/bundle.json" == path)
    }

    @Test("accepts a manifest with every key, and the parser's own output")
    func everything() throws {
        let json = BundleManifestTests.json(BundleManifestTests.everything)
        try schema.validate(JSONParser.parse(json))
        try schema.validate(JSONParser.parse(BundleManifest.parse(json).manifest.encoded()))
        let network = NetworkRulesTests.json(NetworkRulesTests.everything)
        try schema.validate(JSONParser.parse(network))
        try schema.validate(JSONParser.parse(BundleManifest.parse(network).manifest.encoded()))
    }

    /// What of `network` the parser refuses but a schema can't express: sums, comparisons with other keys, and fields by
    /// names in any case.
    static let beyondNetworkSchema = [
        "bytes together", "named twice", "has no effect", "is decided before", "same wildcards", "does not lie below",
        "rules may not", "a rule may remove", "204, 205 and 304", "must be a whole number, but is 1.5",
    ]

    @Test(
        "refuses what the parser of network refuses",
        arguments: NetworkRulesRefusalTests.values.filter { value in
            !beyondNetworkSchema.contains { value.1.contains($0) }
        }
    )
    func refusal(_ network: String, _ message: String) throws {
        let json = try JSONParser.parse(NetworkRulesTests.json(network))
        #expect(throws: JSONSchema.Failure.self) { try schema.validate(json) }
    }

    @Test(
        "refuses the header fields that the parser reserves, in any case",
        arguments: HeaderField.reservedNames.sorted()
    )
    func reservedField(_ name: String) throws {
        for name in [name, name.uppercased()] {
            let json = BundleManifestTests.json(["headers": "{\"/**\": {\"\(name)\": \"x\"}}"])
            #expect(throws: JSONSchema.Failure.self) { try schema.validate(JSONParser.parse(json)) }
            #expect(throws: BundleError.self) { try BundleManifest.parse(json) }
        }
    }

    /// Values that the parser refuses but a schema can't express: two spellings of one URL or of one field name, and
    /// sums.
    static let beyondSchema = ["is mapped twice", "is set twice", "is named twice", "bytes together"]

    @Test(
        "refuses what the parser refuses",
        arguments: BundleManifestRefusalTests.wrongValues.filter { value in
            !beyondSchema.contains { value.2.contains($0) }
        }
    )
    func refusal(_ key: String, _ value: String?, _ message: String) throws {
        let json = BundleManifestTests.json([key: value])
        #expect(throws: JSONSchema.Failure.self) { try schema.validate(JSONParser.parse(json)) }
    }
}
