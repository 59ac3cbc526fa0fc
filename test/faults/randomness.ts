/** Pseudo-random numbers that depend only on the seed (mulberry32). */
export class Randomness {
  private state: number;

  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /**
   * Uses the seed `FAULT_SEED`, or a new seed if it is not set. Prints the seed, so that a failed test can be repeated.
   */
  static forThisRun(): Randomness {
    const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
    console.warn(`FAULT_SEED=${seed}`);
    return new Randomness(seed);
  }

  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }
}
