import { nextTurn } from '@app/kernel';

/** Number of pauses after which a computing run moves to the end of the queue. They are about one second of work. */
const PAUSES_IN_A_ROW = 100;

interface Waiting {
  proceed: () => void;
}

/**
 * Lets the runs of this process compute one after the other. Between two pieces of work, the event loop handles
 * heartbeats, responses and other runs. A run stays at the front of the queue for a while. If the runs took turns
 * instead, several long computations would all end late.
 */
export class ComputingTurns {
  private readonly queue: Waiting[] = [];
  private isServing = false;

  /** Resolves when the run may continue to compute. `pauses` is the number of pauses of the run so far. */
  next(pauses: number): Promise<void> {
    return new Promise((proceed) => {
      if (pauses % PAUSES_IN_A_ROW === 0) this.queue.push({ proceed });
      else this.queue.unshift({ proceed });
      if (!this.isServing) void this.serve();
    });
  }

  private async serve(): Promise<void> {
    this.isServing = true;
    while (this.queue.length > 0) {
      await nextTurn();
      this.queue.shift()?.proceed();
    }
    this.isServing = false;
  }
}
