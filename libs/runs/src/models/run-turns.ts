import type { ModelChoice } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { RecordedStep } from '../records/run-commands.js';

/**
 * `options` is what only the provider can read, such as encrypted reasoning. It goes back unchanged with the next
 * requests.
 */
export type TurnPart = { type: 'reasoning' | 'text' | 'call'; text: string; options?: JsonObject };

interface TurnState {
  readonly n: number;
  readonly origin: string;
  /** Zero if the parts were not kept. */
  readonly bytes: number;
  parts?: readonly TurnPart[];
}

type RecordedTurn = Pick<RecordedStep, 'n' | 'path' | 'type' | 'state' | 'request' | 'output' | 'detail' | 'opaque'>;

/** It depends only on recorded facts, so each worker sends the same bytes. */
export class RunTurns {
  private readonly states = new Map<string, TurnState>();
  private readonly rejected = new Map<string, Set<string>>();
  private readonly withoutReasoning = new Set<string>();
  private readonly prompts = new Map<string, number>();
  private total = 0;

  constructor(steps: readonly RecordedTurn[] = []) {
    for (const step of steps) if (step.type === 'model_call') this.recall(step);
  }

  /** Size of the opaque parts of all turns of the run, in bytes. */
  get keptBytes(): number {
    return this.total;
  }

  stateAt(path: string): TurnState | undefined {
    return this.states.get(path);
  }

  keep(path: string, state: TurnState): void {
    this.states.set(path, state);
    this.total += state.bytes;
  }

  release(path: string): void {
    this.states.delete(path);
  }

  /** Returns the position of the first turn of this attempt that sent the prompt with this hash. */
  firstWith(hash: string, n: number): number {
    const first = this.prompts.get(hash) ?? n;
    this.prompts.set(hash, first);
    return first;
  }

  rejectedBy(model: ModelChoice): string[] {
    return [...(this.rejected.get(keyOf(model)) ?? [])];
  }

  reject(model: ModelChoice, param: string): void {
    this.rejected.set(keyOf(model), new Set([...this.rejectedBy(model), param]));
  }

  /** The run sends it none from then on. */
  rejectsReasoning(model: ModelChoice): boolean {
    return this.withoutReasoning.has(keyOf(model));
  }

  rejectReasoning(model: ModelChoice): void {
    this.withoutReasoning.add(keyOf(model));
  }

  private recall({ n, path, state, request, output, detail, opaque }: RecordedTurn): void {
    const { provider, model: name } = request ?? {};
    if (typeof provider === 'string' && typeof name === 'string') {
      for (const param of namesIn(detail?.rejected_params)) this.reject({ provider, name }, param);
      if (detail?.reasoning_dropped === true) this.rejectReasoning({ provider, name });
    }
    if (opaque) this.keep(path, { n, ...opaque });
    // An earlier release recorded the parts in the output. They are left out.
    else if (state === 'succeeded' && isJsonObject(output) && output.state !== undefined)
      this.keep(path, { n, origin: '', bytes: 0 });
  }
}

function keyOf({ provider, name }: ModelChoice): string {
  return JSON.stringify([provider, name]);
}

function namesIn(names: JsonValue | undefined): string[] {
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
