/** A `Content-Type` header, taken apart. */
export interface MediaType {
  /** Lower case, without parameters: `application/json`. */
  essence: string;
  charset?: string;
}

const PARAMETER = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i;

/** The media type of a `Content-Type` header (RFC 9110, section 8.3.1); undefined where the header is absent. */
export function parseMediaType(header: string | undefined): MediaType | undefined {
  if (header === undefined) return undefined;
  const end = header.indexOf(';');
  const essence = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
  const match = end < 0 ? null : PARAMETER.exec(header);
  return match ? { essence, charset: (match[1] ?? match[2] ?? '').toLowerCase() } : { essence };
}
