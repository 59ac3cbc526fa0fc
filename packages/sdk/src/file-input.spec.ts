import { formBlob } from './file-input.js';

const BOUNDARY = /^multipart\/form-data; boundary=(.+)$/;

/** The parts of a form without the boundary between them, and each byte as one character. */
function partsOf(type: string | null, bytes: ArrayBuffer): string[] {
  const [, boundary = ''] = BOUNDARY.exec(type ?? '') ?? [];
  return Buffer.from(bytes).toString('latin1').trim().split(`--${boundary}`);
}

describe('a form as a Blob', () => {
  it('is encoded like the form that `fetch` sends', async () => {
    const form = new FormData();
    form.append('input', '{"note": "ü"}');
    form.append('invoice', new Blob(['one'], { type: 'text/plain' }), 'a.txt');
    form.append('scans[]', new Blob([new Uint8Array([0, 255, 13, 10])]), 'ü.bin');
    form.append('scans[]', new Blob([]), 'empty');
    form.append('a"\r\nX: 1\r\n\r\n', new Blob(['x']), 'b"; name="c"\r\n');
    const [blob, sent] = [formBlob(form, 'form-1'), new Response(form)];
    const parts = partsOf(blob.type, await blob.arrayBuffer());
    expect(parts).toHaveLength(7);
    expect(parts).toEqual(partsOf(sent.headers.get('content-type'), await sent.arrayBuffer()));
  });
});
