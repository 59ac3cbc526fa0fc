import { nextTurn } from '@app/kernel';
import { Injectable } from '@nestjs/common';

/** Pauses after which a run that only computes lets the others go first: about a second of work. */
const PAUSES_IN_A_ROW = 100;

interface Waiting {
  proceed: () => void;
}

/**
 * Lets the runs of this process compute one after the other: between any two pieces of their work the event loop has a turn,
 * in which heartbeats, answers and other runs are served. A run keeps its place at the front for a while, so that runs which
 * compute much end one by one instead of all at the end.
 */
@Injectable()
export class ComputingTurns {
  private readonly queue: Waiting[] = [];
  private isServing = false;

  /** Resolves when the run may compute on. `pauses` is how often it has paused since it began. */
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
