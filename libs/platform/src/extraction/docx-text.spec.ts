import { deflateRawSync } from 'node:zlib';
import { docxText, unpacksWithin } from './docx-text.js';

/** Returns a ZIP file with one entry, whose declared size is zero. */
function aZip(content: Buffer, method: number): Buffer {
  const data = method === 8 ? deflateRawSync(content) : content;
  const local = Buffer.alloc(30);
  local.write('PK\x03\x04', 'latin1');
  const entry = Buffer.alloc(46);
  entry.write('PK\x01\x02', 'latin1');
  entry.writeUInt16LE(method, 10);
  entry.writeUInt32LE(data.length, 20);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt32LE(local.length + data.length, 16);
  return Buffer.concat([local, data, entry, end]);
}

describe('the unpacked size of a file', () => {
  it('is measured by unpacking it, not by the declared size', () => {
    for (const method of [0, 8]) {
      const zip = aZip(Buffer.alloc(1_000), method);
      expect([unpacksWithin(zip, 1_001), unpacksWithin(zip, 1_000), unpacksWithin(zip, 10)]).toEqual([
        true,
        false,
        false,
      ]);
    }
  });

  it('is refused for a Word document that would not fit into memory', async () => {
    const bomb = aZip(Buffer.alloc(129 * 1024 * 1024), 8);
    expect(bomb.length).toBeLessThan(1024 * 1024);
    await expect(docxText(bomb)).rejects.toMatchObject({ code: 'document_too_large' });
  });

  it('is not measured if the file is damaged', () => {
    const zip = aZip(Buffer.alloc(1_000, 'x'), 8);
    for (const damaged of [Buffer.alloc(0), Buffer.from('no zip'), zip.subarray(0, -1), zip.subarray(20)])
      expect(() => unpacksWithin(damaged, 10_000)).toThrow();
  });
});
