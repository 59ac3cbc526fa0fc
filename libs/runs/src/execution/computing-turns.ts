import { nextTurn } from '@app/kernel';

/**
 * Number of pauses after which a run that computes moves to the end of the queue. It corresponds to about one second of
 * work.
 */
const PAUSES_IN_A_ROW = 100;

interface Waiting {
  proceed: () => void;
}

/**
 * Schedules the computations of the runs in this process, so that only one run computes at a time. Between two pieces
 * of work, the event loop handles heartbeats, responses and other runs. A run stays at the front of the queue for
 * {@link PAUSES_IN_A_ROW} pauses. If the runs alternated after each pause, several long computations would all end
 * late.
 */
export class ComputingTurns {
  private readonly queue: Waiting[] = [];
  private isServing = false;

  /** Resolves when the run may continue to compute. `pauses` is the number of pauses that the run has had so far. */
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
