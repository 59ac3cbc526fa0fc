import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { SealedBox, type SealedCell } from './index.js';

const CELL: SealedCell = { workspace: 'wsp_1', table: 'secrets', column: 'value', row: 'smtp' };

describe('a sealed value', () => {
  const oldKey = randomBytes(32);
  const newKey = randomBytes(32);
  const box = new SealedBox([oldKey]);

  it('opens to what was sealed', () => {
    fc.assert(fc.property(fc.string(), (text) => box.openText(box.seal(text, CELL), CELL) === text));
    fc.assert(fc.property(fc.uint8Array(), (bytes) => box.open(box.seal(bytes, CELL), CELL).equals(bytes)));
  });

  it('looks different every time and does not contain the text', () => {
    const sealed = box.seal('correct horse battery staple', CELL);
    expect(sealed.equals(box.seal('correct horse battery staple', CELL))).toBe(false);
    expect(sealed.includes('horse')).toBe(false);
  });

  it.each<Partial<SealedCell>>([{ workspace: 'wsp_2' }, { table: 'sources' }, { column: 'name' }, { row: 'imap' }])(
    'does not open in another cell: %j',
    (other) => {
      expect(() => box.open(box.seal('x', CELL), { ...CELL, ...other })).toThrow(
        expect.objectContaining({ code: 'internal_error' }),
      );
    },
  );

  it('keeps the parts of the cell apart', () => {
    const sealed = box.seal('x', { ...CELL, column: 'a', row: 'b|c' });
    expect(() => box.open(sealed, { ...CELL, column: 'a|b', row: 'c' })).toThrow();
  });

  it('does not open when any bit is flipped, or when it is cut', () => {
    const sealed = box.seal('secret', CELL);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const flipped = Buffer.from(sealed);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => box.open(flipped, CELL)).toThrow(expect.objectContaining({ code: 'internal_error' }));
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(() => box.open(sealed.subarray(0, length), CELL)).toThrow(
        expect.objectContaining({ code: 'internal_error' }),
      );
    }
  });

  it('survives a new key as long as the old one is known, and new values use the new key', () => {
    const sealedBefore = box.seal('kept', CELL);
    const rotated = new SealedBox([newKey, oldKey]);
    expect(rotated.openText(sealedBefore, CELL)).toBe('kept');
    expect(new SealedBox([newKey]).openText(rotated.seal('new', CELL), CELL)).toBe('new');
    expect(() => new SealedBox([newKey]).open(sealedBefore, CELL)).toThrow(
      expect.objectContaining({ code: 'internal_error' }),
    );
  });
});
