/** Bytes in memory, or a file that is opened when its turn comes. */
export type Piece = Uint8Array | { readonly bytes: number; open(): Promise<AsyncIterable<Uint8Array>> };

/** A part of a `multipart/form-data` body (RFC 7578). */
export type Part = { readonly name: string } & (
  | { readonly text: string }
  | { readonly file: { readonly filename: string; readonly contentType: string; readonly content: Piece } }
);

const LINE = '\r\n';

/** A boundary has at most 70 characters (RFC 2046). */
export function boundaryOf(mac: Buffer): string {
  return `----agent-form-${mac.toString('hex').slice(0, 48)}`;
}

/** Returns the bytes of a form in order. */
export function formPieces(parts: readonly Part[], boundary: string): Piece[] {
  const pieces = parts.flatMap((part): Piece[] => {
    const head = `--${boundary}${LINE}Content-Disposition: form-data; name="${quoted(asLines(part.name))}"`;
    if ('text' in part) return [Buffer.from(`${head}${LINE}${LINE}${asLines(part.text)}${LINE}`)];
    const { filename, contentType, content } = part.file;
    const type = contentType === '' ? 'application/octet-stream' : contentType;
    const begin = `${head}; filename="${quoted(filename)}"${LINE}Content-Type: ${type}${LINE}${LINE}`;
    return [Buffer.from(begin), content, Buffer.from(LINE)];
  });
  return [...pieces, Buffer.from(`--${boundary}--${LINE}`)];
}

export function sizeOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + (piece instanceof Uint8Array ? piece.length : piece.bytes), 0);
}

export async function* piecesOf(pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else yield* await piece.open();
  }
}

/** Escapes a name as browsers do (HTML, multipart/form-data encoding algorithm). */
function quoted(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

/** Line breaks of texts are CRLF in a form. */
function asLines(text: string): string {
  return text.replace(/\r?\n|\r/g, LINE);
}
