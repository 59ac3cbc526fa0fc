/** So many things at a time; the others wait for their turn, in the order of asking. */
export class Places {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** Settles as `work` does, which begins when a place is free. */
  async during(work: () => Promise<void>): Promise<void> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      await work();
    } finally {
      // A place passes straight on to whoever waits for one.
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
