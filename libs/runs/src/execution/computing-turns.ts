import { nextTurn } from '@app/kernel';

const PAUSES_IN_A_ROW = 100;

interface Waiting {
  proceed: () => void;
}

/**
 * Schedules the computations of the runs in this process, so that only one run computes at a time. If the runs
 * alternated after each pause, several long computations would all end late.
 */
export class ComputingTurns {
  private readonly queue: Waiting[] = [];
  private isServing = false;

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
