/** Content octets of the object identifiers in use, in hexadecimal. */
export const oid = {
  /** 2.5.4.3 */
  commonName: '550403',
  /** 1.2.840.10045.2.1 */
  ecPublicKey: '2a8648ce3d0201',
  /** 1.2.840.10045.3.1.7 */
  prime256v1: '2a8648ce3d030107',
  /** 1.3.132.0.34 */
  secp384r1: '2b81040022',
  /** 1.2.840.113549.1.1.1 */
  rsaEncryption: '2a864886f70d010101',
  /** 1.2.840.113549.1.1.11 */
  sha256WithRsa: '2a864886f70d01010b',
  /** 1.2.840.10045.4.3.2 */
  ecdsaWithSha256: '2a8648ce3d040302',
  /** 1.2.840.10045.4.3.3 */
  ecdsaWithSha384: '2a8648ce3d040303',
} as const;
