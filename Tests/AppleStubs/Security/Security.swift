// What this project uses of Security, as Apple documents it; see WebKit.swift beside it. Linux has no Core Foundation: the types of the
// standard library and of Foundation that are bridged to it stand in its place.

public import Foundation

/// <https://developer.apple.com/documentation/corefoundation/cfstring>
public typealias CFString = String
/// <https://developer.apple.com/documentation/corefoundation/cfdata>
public typealias CFData = Data
/// <https://developer.apple.com/documentation/corefoundation/cfdictionary>
public typealias CFDictionary = [String: Any]

/// <https://developer.apple.com/documentation/security/seckey>, iOS 2. Not `Sendable`.
public final class SecKey {}

/// <https://developer.apple.com/documentation/security/seckeyalgorithm>, iOS 10.
public struct SecKeyAlgorithm: Sendable {
    /// <https://developer.apple.com/documentation/security/seckeyalgorithm/rsasignaturemessagepsssha256>, iOS 11.
    public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm()
}

/// <https://developer.apple.com/documentation/security/ksecattrkeytype>, iOS 2.
public let kSecAttrKeyType: CFString = "type"
/// <https://developer.apple.com/documentation/security/ksecattrkeytypersa>, iOS 2.
public let kSecAttrKeyTypeRSA: CFString = "42"
/// <https://developer.apple.com/documentation/security/ksecattrkeyclass>, iOS 2.
public let kSecAttrKeyClass: CFString = "kcls"
/// <https://developer.apple.com/documentation/security/ksecattrkeyclasspublic>, iOS 2.
public let kSecAttrKeyClassPublic: CFString = "0"

/// <https://developer.apple.com/documentation/security/seckeycreatewithdata(_:_:_:)>, iOS 10. The last parameter takes errors.
public func SecKeyCreateWithData(_: CFData, _: CFDictionary, _: UnsafeMutableRawPointer?) -> SecKey? { nil }

/// <https://developer.apple.com/documentation/security/seckeygetblocksize(_:)>, iOS 2. In bytes.
public func SecKeyGetBlockSize(_: SecKey) -> Int { 0 }

/// <https://developer.apple.com/documentation/security/seckeyverifysignature(_:_:_:_:_:)>, iOS 10. The last parameter takes errors.
public func SecKeyVerifySignature(
    _: SecKey,
    _: SecKeyAlgorithm,
    _: CFData,
    _: CFData,
    _: UnsafeMutableRawPointer?
) -> Bool { false }
