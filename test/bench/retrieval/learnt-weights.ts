/**
 * Weights of words. The weight of a rare word is high. The weights are computed from the corpus, and simulate those of
 * a trained model.
 */
export class LearntWeights {
  private readonly documents = new Map<string, number>();
  private total = 0;

  read(texts: readonly { text: string }[]): void {
    for (const { text } of texts) {
      this.total += 1;
      const words = new Set((text.toLowerCase().match(/[a-z]+/g) ?? []).map(stemOf));
      for (const word of words) this.documents.set(word, (this.documents.get(word) ?? 0) + 1);
    }
  }

  of(word: string): number {
    return Math.log(1 + this.total / (1 + (this.documents.get(stemOf(word)) ?? 0))) ** 2;
  }
}

function stemOf(word: string): string {
  return word.replace(/(s|ed|ing)$/, '');
}
