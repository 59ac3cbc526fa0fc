const K1 = 1.2;
const B = 0.75;

/**
 * Textbook BM25 in memory (Robertson and Zaragoza 2009, 3.1), as a baseline for the search of the service. `termsOf`
 * splits a text or a question into terms. The default stems the artificial language of the generated corpus.
 */
export class PlainBm25 {
  private readonly postings = new Map<string, Map<number, number>>();
  private readonly lengths: number[] = [];
  private readonly names: string[] = [];
  private total = 0;

  constructor(private readonly termsOf: (text: string) => string[] = inventedTerms) {}

  add(name: string, text: string): void {
    const id = this.names.push(name) - 1;
    const terms = this.termsOf(text);
    this.lengths.push(terms.length);
    this.total += terms.length;
    for (const term of terms) {
      const posting = this.postings.get(term) ?? new Map<number, number>();
      posting.set(id, (posting.get(id) ?? 0) + 1);
      this.postings.set(term, posting);
    }
  }

  search(query: string, limit: number): string[] {
    const scores = new Map<number, number>();
    const average = this.total / this.names.length;
    for (const term of new Set(this.termsOf(query))) {
      const posting = this.postings.get(term);
      if (!posting) continue;
      const weight = Math.log(1 + (this.names.length - posting.size + 0.5) / (posting.size + 0.5));
      for (const [id, count] of posting) {
        const length = 1 - B + (B * (this.lengths[id] ?? 0)) / average;
        scores.set(id, (scores.get(id) ?? 0) + (weight * count * (K1 + 1)) / (count + K1 * length));
      }
    }
    const ranked = [...scores].sort(([one, a], [other, b]) => b - a || one - other).map(([id]) => this.names[id] ?? '');
    return [...new Set(ranked)].slice(0, limit);
  }
}

function inventedTerms(text: string): string[] {
  return (text.toLowerCase().match(/[a-z]+/g) ?? []).map((word) => word.replace(/(s|ed|ing)$/, ''));
}
