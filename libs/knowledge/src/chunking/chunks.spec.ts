import { blockCounter } from '../../../kernel/src/testing/measured-work.js';
import fc from 'fast-check';
import { chunksOf, type ChunkingRules } from './chunks.js';
import { tokensIn } from './token-atoms.js';

const RULES: ChunkingRules = { strategy: 'auto', max_tokens: 64, overlap_tokens: 0 };

const cut = (text: string, rules: Partial<ChunkingRules> = {}) =>
  [...chunksOf(text, { ...RULES, ...rules })].map((chunk) => ({ ...chunk, body: text.slice(chunk.start, chunk.end) }));

const MANUAL = `Read this first.

# Returns

Goods may be sent back within 30 days.

## Exceptions

Food is not taken back.

\`\`\`sh
# not a heading
\`\`\`

# Shipping ##

We ship to Europe.
`;

const executedBlocks = blockCounter();

describe('the chunks of a document', () => {
  it('follow the headings and list those above them', () => {
    expect(cut(MANUAL).map(({ headings, body }) => [headings.join(' > '), body])).toEqual([
      ['', 'Read this first.'],
      ['Returns', 'Goods may be sent back within 30 days.'],
      ['Returns > Exceptions', 'Food is not taken back.\n\n```sh\n# not a heading\n```'],
      ['Shipping', 'We ship to Europe.'],
    ]);
  });

  it('ignore headings in fenced code', () => {
    const code = '````md\n```\n# inside\n```\n# inside too\n````';
    expect(cut(`# One\n\n${code}\n\n# Two\n\n~~~ # three\n# four\n~~~~\n`).map(({ headings }) => headings)).toEqual([
      ['One'],
      ['Two'],
    ]);
    expect(cut('```js\nx\n```js\n# y\n```\n\n# End\n\nz').map(({ headings }) => headings)).toEqual([[], ['End']]);
    expect(cut('```not``` code\n\n# One\n\ntext').map(({ headings }) => headings)).toEqual([[], ['One']]);
  });

  it('keep a code block whole if it fits, and split a longer one between lines', () => {
    const code = '```sh\n# first\nmake one. Then\n\n# second\nmake two\n```';
    const around = 'Some words of prose that take up room in the passage before. '.repeat(3);
    const bodies = cut(`${around}\n\n${code}\n\n${around}`, { max_tokens: 56, overlap_tokens: 0 }).map(
      ({ body }) => body,
    );
    expect(bodies.filter((body) => body.includes(code))).toHaveLength(1);
    const lines = Array.from({ length: 40 }, (_, n) => `call(${n}); // Done. Next.`);
    const long = cut(`\`\`\`\n${lines.join('\n')}\n\`\`\``, { max_tokens: 50, overlap_tokens: 0 });
    expect(long.length).toBeGreaterThan(1);
    for (const { body } of long) for (const line of body.split('\n')) expect([...lines, '```']).toContain(line);
  });

  it('ignore headings with the strategy `sentence`', () => {
    const bodies = cut(MANUAL, { strategy: 'sentence' }).map(({ body }) => body);
    expect(bodies.join('\n')).toContain('# Returns');
    expect(bodies.length).toBeLessThan(3);
  });

  it('end with sentences and overlap by the configured number of tokens', () => {
    const sentences = Array.from({ length: 40 }, (_, n) => `Sentence number ${n} says something about refunds.`);
    const chunks = cut(sentences.join(' '), { max_tokens: 60, overlap_tokens: 20 });
    for (const { body } of chunks) expect(body).toMatch(/^Sentence .*refunds\.$/s);
    chunks.slice(1).forEach((chunk, n) => {
      const before = chunks[n];
      expect(chunk.start).toBeLessThan(before?.end ?? 0);
      expect(tokensIn(sentences.join(' '), chunk.start, before?.end ?? 0)).toBeLessThanOrEqual(20);
    });
  });

  it('contain the headings of a text without anything else', () => {
    expect(cut('# One\n## Two\n').map(({ body }) => body)).toEqual(['# One\n## Two']);
    expect(cut(' \n\t\n')).toEqual([]);
    expect(cut('')).toEqual([]);
  });

  it('never exceed the token limit and lose only white space', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\n', '\n\n', '# a\n', '```\n', '. ', '。', '😀'.repeat(300), 'x'.repeat(2_000), '€', '\ud800'),
    );
    const rules = fc.record({
      strategy: fc.constantFrom('auto' as const, 'markdown' as const, 'sentence' as const),
      max_tokens: fc.integer({ min: 32, max: 200 }),
      overlap_tokens: fc.integer({ min: 0, max: 31 }),
    });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), rules, (pieces, wanted) => {
        const text = pieces.join('');
        const chunks = cut(text, wanted);
        let covered = 0;
        let left = '';
        chunks.forEach((chunk, n) => {
          expect(chunk.n).toBe(n);
          expect(chunk.body).not.toBe('');
          expect(chunk.tokens).toBeLessThanOrEqual(wanted.max_tokens);
          expect(chunk.end).toBeGreaterThan(covered);
          left += text.slice(covered, Math.max(covered, chunk.start));
          covered = chunk.end;
        });
        left += text.slice(covered);
        const lost = left
          .split('\n')
          .filter((line) => /[^\s\p{Cc}\u200b]/u.test(line) && !/^ {0,3}#{1,6}[ \t]/.test(line));
        expect(lost).toEqual([]);
      }),
    );
  });

  it.each([
    ['one long word', 'x'.repeat(200_000)],
    ['line breaks', '\n'.repeat(200_000)],
    ['hashes', '#'.repeat(200_000)],
    ['headings without an end', '# a\n'.repeat(50_000)],
    ['fences without an end', '```\n'.repeat(50_000)],
    ['full stops', '. '.repeat(100_000)],
    ['spaces after a heading', `# ${' '.repeat(200_000)}#`],
  ])('take work in proportion to the text: %s', (_name, text) => {
    let n = 0;
    const rules = { ...RULES, max_tokens: 512, overlap_tokens: 64 };
    const blocks = executedBlocks(() => {
      for (const { end, start } of chunksOf(text, rules)) n += end - start;
    });
    expect(n).toBeGreaterThanOrEqual(0);
    expect(blocks).toBeLessThan(200 * text.length);
  });
});
