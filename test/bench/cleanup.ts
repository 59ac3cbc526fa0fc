/** The cleanup work of a bench, which also runs after an error or an interruption. */
export class Cleanup {
  private readonly pending: (() => Promise<void>)[] = [];

  constructor(private readonly say: (line: string) => void) {}

  /** Registers `work`. Returns a function that runs it early; it runs only once. */
  addCleanup(work: () => Promise<void>): () => Promise<void> {
    let done: Promise<void> | undefined;
    const end = (): Promise<void> => (done ??= work());
    this.pending.push(end);
    return end;
  }

  /** Runs a bench, then the cleanup, and sets the exit code. Also cleans up when the process is interrupted. */
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
      // Errors after an interruption are a consequence of the cleanup.
      if (!interrupted.signal.aborted)
        process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      process.exitCode = 1;
    }
    await this.cleanUp();
  }

  /** Runs the last one first. An error in one does not prevent the others. */
  private async cleanUp(): Promise<void> {
    for (const end of this.pending.splice(0).reverse())
      await end().catch((error: unknown) => this.say(`while ending: ${String(error)}`));
  }
}
