/** Reads a receipt in order to show it. The gateway verifies it (`verifyTransfer`). */

interface ReceiptShown {
  receiver: string;
  /** When the peer had stored it, by its own clock. */
  receivedAt: Date;
  documentBytes: number;
  classifiedBytes: number;
  /** Hexadecimal: BLAKE3, the document's keyed with the manifest's salt. */
  plainDigest: string;
  documentDigest: string;
  manifestDigest: string;
  /** Hexadecimal, Ed25519. */
  key: string;
  signature: string;
}

/** The fields of a receipt; null if its version is unknown. */
export function readReceipt(text: string): ReceiptShown | null {
  try {
    const { receipt, key, signature } = JSON.parse(text) as Record<string, unknown>;
    const body = receipt as Record<string, unknown>;
    const shown = {
      receiver: words(body.receiver),
      receivedAt: new Date(number(body.received_at_ns) / 1e6),
      documentBytes: number(body.size),
      classifiedBytes: number(body.classified_size),
      plainDigest: words(body.plain_digest),
      documentDigest: words(body.document_digest),
      manifestDigest: words(body.manifest_digest),
      key: words(key),
      signature: words(signature),
    };
    return body.v === 1 ? shown : null;
  } catch {
    return null;
  }
}

function words(value: unknown): string {
  if (typeof value !== "string") throw new TypeError("a text is missing");
  return value;
}

function number(value: unknown): number {
  if (typeof value !== "number") throw new TypeError("a number is missing");
  return value;
}
