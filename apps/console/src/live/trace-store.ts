import type { TraceStep } from '../data/api.js';

const UNSETTLED = new Set(['running', 'pending', 'awaiting_approval', 'waiting', 'open']);
/** If the run has more steps than this, the page is rendered only every 300 ms while further steps arrive. */
const MANY_STEPS = 5_000;
const SLOW_MILLIS = 300;

/**
 * The steps of one run. Changes are made in place. If the list were copied for each change, 10 000 steps would take
 * minutes to load.
 */
export class TraceStore {
  /** The steps by number: step number n has the index n - 1. */
  readonly steps: TraceStep[] = [];
  /** Model output that is still being generated, by the path of its step. */
  readonly texts = new Map<string, string>();
  /** True when all steps that existed at page load have been read. */
  isRead = false;
  isEnded = false;
  private version = 0;
  private isScheduled = false;
  private readonly listeners = new Set<() => void>();
  private readonly schedule: (work: () => void) => void;

  /**
   * `schedule` delays notifications of listeners, so that several changes cause one notification. By default, the
   * notification is sent at the next frame. If there are many steps or the tab is hidden, it is sent after 300 ms.
   */
  constructor(schedule?: (work: () => void) => void) {
    this.schedule = schedule ?? ((work) => this.later(work));
  }

  put(steps: readonly TraceStep[]): void {
    for (const step of steps) {
      // Merges the step with the stored step of the same number. The stream sends complete steps. A later summary of a
      // step has fewer fields, and must not remove the others.
      this.steps[step.n - 1] = { ...this.steps[step.n - 1], ...step } as TraceStep;
      if (step.path !== undefined && !UNSETTLED.has(step.status)) this.texts.delete(step.path);
    }
    this.changed();
  }

  addText(path: string, text: string): void {
    this.texts.set(path, (this.texts.get(path) ?? '') + text);
    this.changed();
  }

  /** Call this when all steps that existed at page load have been added. */
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

  /**
   * Returns the number of complete steps at the start of the run, before the first step that is missing or can still
   * change.
   */
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
    // A hidden tab renders no frames, so requestAnimationFrame would not call `work`.
    if (this.steps.length > MANY_STEPS || document.hidden) setTimeout(work, SLOW_MILLIS);
    else requestAnimationFrame(work);
  }
}
