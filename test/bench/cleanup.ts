/** What a bench started and has to end, however it goes. */
export class Cleanup {
  private readonly pending: (() => Promise<void>)[] = [];

  constructor(private readonly say: (line: string) => void) {}

  /** Answers the same work, which is done once, whoever asks first. */
  addCleanup(work: () => Promise<void>): () => Promise<void> {
    let done: Promise<void> | undefined;
    const end = (): Promise<void> => (done ??= work());
    this.pending.push(end);
    return end;
  }

  /** Does the whole work of a bench, ends what it left, and settles how this process exits; also when it is interrupted. */
  async runWithCleanup(bench: () => Promise<void>): Promise<void> {
    const interrupted = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        interrupted.abort();
        void this.cleanUp().then(() => process.exit(130));
      });
    try {
      await bench();
    } catch (error) {
      // What breaks off because everything is being ended is no news.
      if (!interrupted.signal.aborted)
        process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exitCode = 1;
    }
    await this.cleanUp();
  }

  /** The last one first, whatever goes wrong with the others. */
  private async cleanUp(): Promise<void> {
    for (const end of this.pending.splice(0).reverse())
      await end().catch((error: unknown) => this.say(`while ending: ${String(error)}`));
  }
}
