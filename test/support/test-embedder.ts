import { createHash } from 'node:crypto';

/** Words that the test embedding model replaces by a synonym. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['reimbursement', 'refund'],
  ['reimbursements', 'refund'],
  ['refunds', 'refund'],
  ['automobile', 'car'],
  ['cars', 'car'],
]);

export type WordWeights = (word: string) => number;

const SAME_FOR_ALL: WordWeights = () => 1;
const WORD_WEIGHT = 3;

/**
 * A deterministic embedding model that needs no network. Each word and each sequence of three characters has a
 * direction that is derived from its hash. The vector of a text is the sum of these directions.
 */
export class TestEmbedder {
  private readonly directions = new Map<string, Int8Array>();

  constructor(
    readonly dimensions = 256,
    private readonly weightOf: WordWeights = SAME_FOR_ALL,
  ) {}

  embed(text: string): number[] {
    const sum = new Float64Array(this.dimensions);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      const meant = SAME.get(word) ?? word;
      const weight = this.weightOf(meant);
      this.add(sum, `word ${meant.replace(/(s|ed|ing)$/, '')}`, WORD_WEIGHT * weight);
      for (let n = 0; n + 3 <= meant.length; n += 1) this.add(sum, meant.slice(n, n + 3), weight);
    }
    this.add(sum, 'text', 0.01);
    const length = Math.sqrt(sum.reduce((square, each) => square + each * each, 0));
    return Array.from(sum, (each) => Math.fround(each / length));
  }

  private add(sum: Float64Array, feature: string, weight: number): void {
    const direction = this.directionOf(feature);
    for (let n = 0; n < sum.length; n += 1) sum[n] = (sum[n] ?? 0) + weight * (direction[n] ?? 0);
  }

  private directionOf(feature: string): Int8Array {
    const known = this.directions.get(feature);
    if (known) return known;
    const direction = new Int8Array(this.dimensions);
    let digest = Buffer.alloc(0);
    for (let n = 0; n < direction.length; n += 1) {
      if (n % 256 === 0) digest = createHash('sha256').update(`${n} ${feature}`).digest();
      direction[n] = ((digest[(n % 256) >> 3] ?? 0) >> (n & 7)) & 1 ? 1 : -1;
    }
    this.directions.set(feature, direction);
    return direction;
  }
}
