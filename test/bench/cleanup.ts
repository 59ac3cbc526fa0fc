export class Cleanup {
  private readonly pending: (() => Promise<void>)[] = [];

  constructor(private readonly say: (line: string) => void) {}

  /**
   * Registers `work`, which is called at the end of the benchmark. Returns a function that calls it earlier. `work` is
   * called only once.
   */
  addCleanup(work: () => Promise<void>): () => Promise<void> {
    let done: Promise<void> | undefined;
    const end = (): Promise<void> => (done ??= work());
    this.pending.push(end);
    return end;
  }

  /**
   * Runs a benchmark and then the cleanup work, and sets the exit code. If the process is interrupted, the cleanup work
   * still runs.
   */
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
      // Errors after an interruption are not reported, because the cleanup work causes them.
      if (!interrupted.signal.aborted)
        process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exitCode = 1;
    }
    await this.cleanUp();
  }

  /**
   * Runs the registered work in reverse order of registration. If one piece of work rejects, the remaining work still
   * runs.
   */
  private async cleanUp(): Promise<void> {
    for (const end of this.pending.splice(0).reverse())
      await end().catch((error: unknown) => this.say(`while ending: ${String(error)}`));
  }
}
