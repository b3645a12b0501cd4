import BundleStore
import HTTPCore

/// How an object store is reached: its server, its region, and an access key. A value type; safe to share between threads.
package struct S3Configuration: Sendable {
    /// The key that signs requests; nil to send them unsigned, as to a bucket that is public.
    package let credentials: S3Credentials?
    /// The region that requests are signed for.
    package let region: String
    /// `http` or `https`.
    private let scheme: String
    /// The server's host, and its port unless it is the scheme's.
    private let authority: String
    private let style: Style

    private enum Style: String {
        /// By ``S3Configuration/isPath(_:)``.
        case auto
        case path, virtual
    }

    /// Reads what AWS' programs read.
    ///
    /// - Parameters:
    ///   - environment: The variables of the process: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` or
    ///     `AWS_DEFAULT_REGION`, `AWS_PROFILE`, `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`. Empty ones count as unset.
    ///   - credentialsFile: The text of the file at ``credentialsPath(environment:)``; nil where there is none.
    ///   - configFile: The text of the file at ``configPath(environment:)``; nil where there is none.
    /// - Throws: ``/BundleModel/BundleError`` with code `invalidArgument` when something in them is wrong, or a profile is missing or gets its
    ///   key by a program or a server. The message has no secret.
    package init(
        environment: [String: String],
        credentialsFile: String? = nil,
        configFile: String? = nil
    ) throws(BundleError) {
        let environment = environment.filter { !$0.value.isEmpty }
        let settings = try AWSSettings(environment, credentialsFile, configFile)
        credentials = try settings.credentials()
        region = settings.region ?? "us-east-1"
        style = settings["s3.addressing_style"].flatMap(Style.init) ?? .auto
        guard region.utf8.count <= 63, !region.isEmpty,
            region.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") })
        else {
            throw BundleError(
                .invalidArgument,
                "“\(Printable.text(region))” isn't a region of S3; name one such as eu-central-1"
            )
        }
        guard let (url, isOfEnvironment) = settings.endpoint else {
            scheme = "https"
            authority = "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
            return
        }
        guard let endpoint = OriginTarget(url), endpoint.path == "/", let host = (try? HTTPURL(url))?.host else {
            throw BundleError(
                .invalidArgument,
                "the endpoint of S3 isn't the URL of a server; write it as https://host:port, without a user"
            )
        }
        guard endpoint.scheme == "https" || isOfEnvironment || NetworkScope(ofHost: host) == .loopback else {
            throw BundleError(
                .invalidArgument,
                "the endpoint of S3, \(endpoint.origin), isn't encrypted; write https, or name it in AWS_ENDPOINT_URL if that is meant"
            )
        }
        (scheme, authority) = (endpoint.scheme, endpoint.authority)
    }

    /// Where the file with access keys is, `~/.aws/credentials` unless `AWS_SHARED_CREDENTIALS_FILE` names another; nil without a home.
    package static func credentialsPath(environment: [String: String]) -> String? {
        path("AWS_SHARED_CREDENTIALS_FILE", "credentials", environment)
    }

    /// Where the file with settings is, `~/.aws/config` unless `AWS_CONFIG_FILE` names another; nil without a home.
    package static func configPath(environment: [String: String]) -> String? {
        path("AWS_CONFIG_FILE", "config", environment)
    }

    private static func path(_ variable: String, _ name: String, _ environment: [String: String]) -> String? {
        if let path = environment[variable], !path.isEmpty { return path }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return "\(home)/.aws/\(name)"
    }

    /// What a request for a bucket, or for an object of it, is for, without a query.
    func target(bucket: String, key: String?) -> (scheme: String, authority: String, path: String) {
        let object = key.map { "/" + S3Location.path(ofKey: $0) } ?? ""
        guard isPath(bucket) else { return (scheme, "\(bucket).\(authority)", object.isEmpty ? "/" : object) }
        return (scheme, authority, "/\(bucket)\(object)")
    }

    /// The server, for messages.
    var server: String { "\(scheme)://\(authority)" }

    /// Whether the bucket is named in the path and not in the host: few servers other than AWS' have a name for each bucket, and a
    /// certificate for `*.s3.…` doesn't match two labels.
    private func isPath(_ bucket: String) -> Bool {
        switch style {
        case .path: true
        case .virtual: false
        case .auto:
            bucket.contains(".") || ![".amazonaws.com", ".amazonaws.com.cn"].contains(where: authority.hasSuffix)
        }
    }
}

/// The settings of the profile that counts. It may have secrets, and has no description.
private struct AWSSettings {
    private let environment: [String: String]
    private let name: String
    private let keys: [String: String]
    private let settings: [String: String]

    init(_ environment: [String: String], _ credentialsFile: String?, _ configFile: String?) throws(BundleError) {
        self.environment = environment
        let named = environment["AWS_PROFILE"]
        name = named ?? "default"
        let keys = AWSProfiles(credentialsFile ?? "", hasPrefix: false).profiles[name]
        let settings = AWSProfiles(configFile ?? "", hasPrefix: true).profiles[name]
        guard named == nil || keys != nil || settings != nil else {
            throw BundleError(
                .invalidArgument,
                "neither file of AWS' settings has the profile “\(Printable.text(name))”, which AWS_PROFILE names; correct it"
            )
        }
        (self.keys, self.settings) = (keys ?? [:], settings ?? [:])
    }

    subscript(_ setting: String) -> String? { settings[setting] ?? keys[setting] }

    var region: String? { environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? self["region"] }

    var endpoint: (url: String, isOfEnvironment: Bool)? {
        if let url = environment["AWS_ENDPOINT_URL_S3"] ?? environment["AWS_ENDPOINT_URL"] { return (url, true) }
        return (self["s3.endpoint_url"] ?? self["endpoint_url"]).map { ($0, false) }
    }

    func credentials() throws(BundleError) -> S3Credentials? {
        let variables = (environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"])
        if variables.0 != nil || variables.1 != nil {
            return try pair(variables.0, variables.1, environment["AWS_SESSION_TOKEN"], "the environment has")
        }
        // Of one file, so that a key and the secret of another don't meet.
        for file in [keys, settings] where file["aws_access_key_id"] != nil || file["aws_secret_access_key"] != nil {
            let owner = "the profile “\(Printable.text(name))” has"
            return try pair(file["aws_access_key_id"], file["aws_secret_access_key"], file["aws_session_token"], owner)
        }
        let indirect = ["credential_process", "role_arn", "sso_session", "sso_start_url", "web_identity_token_file"]
        if let setting = indirect.first(where: { self[$0] != nil }) {
            throw BundleError(
                .invalidArgument,
                "the profile “\(Printable.text(name))” gets its access key by \(setting), which isn't supported; put the key into the "
                    + "environment, as “aws configure export-credentials” prints it"
            )
        }
        return nil
    }

    private func pair(_ key: String?, _ secret: String?, _ token: String?, _ owner: String) throws(BundleError)
        -> S3Credentials
    {
        guard let key, let secret else {
            let present =
                key == nil ? "the secret of an access key for S3 alone" : "an access key for S3 without its secret"
            throw BundleError(.invalidArgument, "\(owner) \(present); give both, or neither")
        }
        return try S3Credentials(accessKey: key, secretKey: secret, sessionToken: token)
    }
}
