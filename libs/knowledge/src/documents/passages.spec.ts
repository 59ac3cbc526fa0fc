import { readSettings } from '../bases/knowledge-settings.js';
import { CHARACTERS_PER_CUT, passageBatches, PASSAGES_AT_ONCE } from './passages.js';

const DOCUMENT = { id: 'doc_1', title: 'Long', address: 'long', language: 'english', detected: null };

describe('passageBatches', () => {
  const sizes = (text: string, max_tokens: number) => {
    const settings = readSettings({ chunking: { max_tokens, overlap_tokens: 0 } });
    const batches = [...passageBatches({ document: DOCUMENT, text, settings })];
    return batches.map((batch) => [batch.length, batch.reduce((sum, { body }) => sum + body.length, 0)] as const);
  };

  it('limits the passages of a batch', () => {
    const batches = sizes('# A heading\n\nA few words.\n\n'.repeat(3_000), 512);
    expect(batches.map(([passages]) => passages)).toEqual([PASSAGES_AT_ONCE, PASSAGES_AT_ONCE, 600]);
  });

  it('limits the characters of a batch', () => {
    const batches = sizes('These words are many words. '.repeat(100_000), 2_000);
    expect(batches.length).toBeGreaterThan(20);
    for (const [passages, characters] of batches) {
      expect(passages).toBeLessThan(PASSAGES_AT_ONCE);
      expect(characters).toBeLessThan(1.1 * CHARACTERS_PER_CUT);
    }
  });
});
