import { didYouMean } from '@app/kernel';
import type { CallbackUse } from '../model/compiled-step.js';

export interface CallbackPlaces {
  /** Ids of the steps that wait for a callback. */
  readonly waits: ReadonlySet<string>;
  /** For each step id, the ids of the loops around the step, outermost first. */
  readonly loops: ReadonlyMap<string, readonly string[]>;
}

/** Collects the callback URLs that the request of one step mentions. */
export class CallbackUses {
  private readonly uses = new Map<string, CallbackUse>();

  constructor(
    private readonly places: CallbackPlaces,
    private readonly stepId: string,
  ) {}

  get all(): CallbackUse[] {
    return [...this.uses.values()];
  }

  /**
   * Adds the callback URL of the step `id`. If the request cannot use this URL, adds nothing and returns the problem.
   */
  readonly mention = (id: string): { detail: string; suggestion?: string } | undefined => {
    const { waits, loops } = this.places;
    if (!waits.has(id)) {
      const close = didYouMean(id, waits);
      return {
        detail: `No step \`${id}\` waits for a callback.`,
        suggestion: close ?? `Add the step: \`{ id: ${id}, wait: { callback: { timeout: 7d } } }\`.`,
      };
    }
    const [around, here] = [loops.get(id) ?? [], loops.get(this.stepId) ?? []];
    if (!around.every((loop, index) => here[index] === loop)) {
      return {
        detail: `Step \`${id}\` is inside a loop, and each round has its own callback URL.`,
        suggestion: `Send the URL from a step of the same loop, \`${around.at(-1) ?? ''}\`.`,
      };
    }
    this.uses.set(id, { step: id, depth: around.length });
    return undefined;
  };
}
