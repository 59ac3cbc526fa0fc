/** Number of bytes at the start of a page that are searched for its encoding declaration (WHATWG HTML, 13.2.3.2). */
const SNIFFED_BYTES = 1_024;

type Decoder = InstanceType<typeof TextDecoder>;

/**
 * Decodes bytes with the first known encoding of these: the byte order mark, the charset of the media type, the
 * declaration in an HTML page, UTF-8. Unknown encodings are ignored (WHATWG Encoding, 4.2).
 */
export function decodedText(bytes: Uint8Array, contentType: string, isHtml: boolean): string {
  const decoder =
    decoderOf(byteOrderMark(bytes)) ??
    decoderOf(/charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1]) ??
    (isHtml ? sniffedDecoder(bytes) : undefined) ??
    new TextDecoder();
  return decoder.decode(bytes);
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/**
 * Returns the decoder for the encoding that the page declares. UTF-16 is ignored: a page whose declaration can be read
 * as ASCII is not UTF-16.
 */
function sniffedDecoder(bytes: Uint8Array): Decoder | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, SNIFFED_BYTES));
  const declared = decoderOf(/<meta[^>]+charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(head)?.[1]);
  return declared?.encoding.startsWith('utf-16') ? undefined : declared;
}

function decoderOf(label: string | undefined): Decoder | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label);
  } catch {
    return undefined;
  }
}
