import type { TraceStep } from '../data/api.js';

/** Statuses of a step that can still change. */
const UNSETTLED = new Set(['running', 'pending', 'awaiting_approval', 'waiting', 'open']);
/** From this many steps on, the page is drawn less often while further ones arrive. */
const MANY_STEPS = 5_000;
const SLOW_MILLIS = 300;

/** The steps of one run. It changes in place, because a copy for each of 10 000 steps would take minutes. */
export class TraceStore {
  /** Step n is at n - 1. */
  readonly steps: TraceStep[] = [];
  /** Model text that is being written, by path. */
  readonly texts = new Map<string, string>();
  /** The steps that existed when the page was opened are there. */
  isRead = false;
  isEnded = false;
  private version = 0;
  private isScheduled = false;
  private readonly listeners = new Set<() => void>();
  private readonly schedule: (work: () => void) => void;

  /** `schedule` delays the news of many changes. Default: to the next frame, or longer if there are many steps. */
  constructor(schedule?: (work: () => void) => void) {
    this.schedule = schedule ?? ((work) => this.later(work));
  }

  put(steps: readonly TraceStep[]): void {
    for (const step of steps) {
      // A summary does not replace what the stream has sent in full.
      this.steps[step.n - 1] = { ...this.steps[step.n - 1], ...step } as TraceStep;
      if (step.path !== undefined && !UNSETTLED.has(step.status)) this.texts.delete(step.path);
    }
    this.changed();
  }

  addText(path: string, text: string): void {
    this.texts.set(path, (this.texts.get(path) ?? '') + text);
    this.changed();
  }

  /** Everything that was recorded so far has been put. */
  markRead(): void {
    if (this.isRead) return;
    this.isRead = true;
    this.changed();
  }

  end(): void {
    this.isEnded = true;
    this.texts.clear();
    this.changed();
  }

  /** Up to this position no step is missing, and none can change. */
  settledUntil(): number {
    const open = this.steps.findIndex(
      (step: TraceStep | undefined) => step === undefined || UNSETTLED.has(step.status),
    );
    return open < 0 ? this.steps.length : open;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getVersion = (): number => this.version;

  private changed(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.schedule(() => {
      this.isScheduled = false;
      this.version++;
      for (const listener of this.listeners) listener();
    });
  }

  private later(work: () => void): void {
    // Frames are not drawn in a hidden tab.
    if (this.steps.length > MANY_STEPS || document.hidden) setTimeout(work, SLOW_MILLIS);
    else requestAnimationFrame(work);
  }
}
