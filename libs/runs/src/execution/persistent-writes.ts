import { Clock, DomainError } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { WorkerLease } from './worker-lease.service.js';

const FIRST_PAUSE_MILLIS = 50;
const LONGEST_PAUSE_MILLIS = 1_000;

/** Writes that must get through: their `op` makes repeating them harmless. */
@Injectable()
export class PersistentWrites {
  constructor(
    private readonly lease: WorkerLease,
    private readonly clock: Clock,
  ) {}

  /**
   * Repeats a write whose answer was lost, or that the database could not take, for as long as the worker's lease lasts.
   * @throws whatever the last try threw: at once if repeating cannot help, else when the lease is over
   */
  async insist<T>(write: () => Promise<T>): Promise<T> {
    for (let pause = FIRST_PAUSE_MILLIS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MILLIS)) {
      try {
        return await write();
      } catch (error) {
        const transient = error instanceof DomainError && error.code === 'unavailable';
        if (!transient || !this.lease.holds()) throw error;
        await this.clock.sleep(pause);
      }
    }
  }
}
