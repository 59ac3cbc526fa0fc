import type { JsonValue } from '@app/kernel';
import type { Outcome } from '../interpreter/plan.js';

/** The outcomes of a run, whose files are looked up. */
export class SeenOutcomes extends Map<string, Outcome> {
  onSeen: (value: JsonValue) => void = () => undefined;

  override set(path: string, outcome: Outcome): this {
    if (outcome.ok) this.onSeen(outcome.output);
    return super.set(path, outcome);
  }
}
