/** Bytes of a page in which it has to say what it is written in (WHATWG HTML, 13.2.3.2). */
const SNIFFED_BYTES = 1_024;

/** Text in the encoding that the bytes, the media type or the page itself says, in that order; otherwise UTF-8. */
export function decodedText(bytes: Uint8Array, contentType: string, isHtml: boolean): string {
  const label =
    byteOrderMark(bytes) ??
    /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ??
    (isHtml ? sniffed(bytes) : undefined);
  return decoder(label).decode(bytes);
}

function byteOrderMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

function sniffed(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, SNIFFED_BYTES));
  return /<meta[^>]+charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(head)?.[1];
}

/** What nobody has heard of is read as UTF-8. */
function decoder(label = 'utf-8'): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
