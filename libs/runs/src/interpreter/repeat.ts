import type { CompiledStep, RepeatStep } from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue, parseDuration } from '@app/kernel';
import type { Ask } from './plan.js';
import type { PlanInProgress } from './plan-in-progress.js';
import { type Progress, StepFailure } from './progress.js';
import type { StepScope } from './step-scope.js';

export interface LoopHost {
  plan: PlanInProgress;
  evaluate: <T>(step: CompiledStep, evaluation: () => T) => T;
  outcomeOf: (ask: Ask) => Progress;
}

/** Its output is `{carry, rounds}`. */
export function* repeat(host: LoopHost, step: RepeatStep, scope: StepScope): Progress {
  const carry = host.evaluate(step, () => step.carry.evaluate(scope.values));
  return yield* new Loop(host, step, scope, objectOf(carry)).carryOut();
}

/** `at_max`: the loop has not ended, but it has had `max` rounds. */
type LoopState = 'continues' | 'ended' | 'at_max';

/** Another process that continues the run therefore computes the same state. */
class Loop {
  private rounds = 0;
  /** The scope of the last round, in which `carry` has its new value. Null before the end of the first round. */
  private last: StepScope | null = null;

  constructor(
    private readonly host: LoopHost,
    private readonly step: RepeatStep,
    private readonly scope: StepScope,
    private carry: JsonObject,
  ) {}

  *carryOut(): Progress {
    for (;;) {
      const state = yield* this.stateOfNextRound();
      if (state === 'at_max') this.checkMax();
      if (state !== 'continues') return { carry: this.carry, rounds: this.rounds };
      this.rounds += 1;
    }
  }

  private *stateOfNextRound(): Progress<LoopState> {
    try {
      return yield* this.advance();
    } catch (thrown) {
      throw thrown instanceof StepFailure ? thrown.ofRound(this.step.id, this.rounds) : thrown;
    }
  }

  /** Returns the state of the loop afterwards. */
  private *advance(): Progress<LoopState> {
    const { step, scope, host } = this;
    const round = scope.round(step.id, this.rounds, 'carry', this.carry);
    if (!this.holds('while', round, true)) return 'ended';
    if (this.rounds === step.max) return 'at_max';
    yield* this.delay();
    yield* host.plan.begin(step.id, round);
    yield* host.plan.carryOut(step.steps, round);
    this.carry = this.nextCarry(round);
    host.plan.gave(step.id, { carry: this.carry, rounds: this.rounds + 1 });
    if (round.loop) host.plan.release(`${round.loop.path}.`);
    this.last = round.with('carry', this.carry);
    if (!this.holds('until', this.last, false)) return 'continues';
    this.rounds += 1;
    return 'ended';
  }

  private holds(key: 'while' | 'until', scope: StepScope, byDefault: boolean): boolean {
    const condition = this.step[key];
    if (condition === null) return byDefault;
    const holds = this.host.evaluate(this.step, () => condition.evaluate(scope.values));
    this.host.plan.observer?.judged({ step: this.step.id, key, condition, scope: scope.values, holds });
    return holds;
  }

  private nextCarry(round: StepScope): JsonObject {
    const { next } = this.step;
    if (next === null) return this.carry;
    return { ...this.carry, ...objectOf(this.host.evaluate(this.step, () => next.evaluate(round.values))) };
  }

  private checkMax(): void {
    const { id, max, continuesAtMax } = this.step;
    if (continuesAtMax) return;
    const message = `The loop \`${id}\` has not ended after ${max} ${max === 1 ? 'round' : 'rounds'}. Raise \`max\`, or write \`on_max: continue\`.`;
    throw StepFailure.of(id, 'loop_limit', message);
  }

  private *delay(): Progress<void> {
    const { last, step, host } = this;
    const { delay } = step;
    if (!last?.loop || delay === null) return;
    const time = host.evaluate(step, () => delay.evaluate(last.values));
    const forMs = typeof time === 'string' ? parseDuration(time) : undefined;
    if (forMs === undefined) {
      const message = `${JSON.stringify(time)} is not a valid duration for \`delay\`. Use a value such as 5s.`;
      throw StepFailure.of(step.id, 'assertion_failed', message);
    }
    yield* host.outcomeOf({ kind: 'wait', path: last.loop.path, stepId: step.id, forMs, until: null, isDelay: true });
    host.plan.release(last.loop.path);
  }
}

function objectOf(value: JsonValue): JsonObject {
  return isJsonObject(value) ? value : {};
}
