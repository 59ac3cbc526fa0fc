import {
  type ApprovalStep,
  type AssertStep,
  type CompiledDefinition,
  type CompiledStep,
  ExpressionError,
  type FailStep,
  type ForEachStep,
  type HandOffStep,
  type OutputStep,
  type ParallelStep,
  type SwitchStep,
  type ToolStep,
  type WaitStep,
} from '@app/agents/definition';
import { isJsonObject, type JsonObject, type JsonValue, parseDuration } from '@app/kernel';
import { retryDelay } from './backoff.js';
import type { Ask, Call, Note, Outcome } from './plan.js';
import { concurrently, type Progress, RunEnds, StepFailure } from './progress.js';
import type { StepScope } from './step-scope.js';

/** What the kinds of steps need of the interpreter that carries them out. */
export interface PlanInProgress {
  definition: CompiledDefinition;
  outcome: (path: string) => Outcome | undefined;
  note: (note: Note) => void;
  setOutput: (output: JsonValue) => void;
  carryOut: (steps: readonly CompiledStep[], scope: StepScope) => Progress;
}

/** How each kind of step is carried out. */
export class StepKinds {
  constructor(private readonly plan: PlanInProgress) {}

  applies(step: CompiledStep, scope: StepScope): boolean {
    const condition = step.if;
    return condition === null || evaluate(step, () => condition.evaluate(scope.values));
  }

  *carryOut(step: CompiledStep, scope: StepScope): Progress {
    switch (step.kind) {
      case 'tool':
        return yield* this.callTool(step, scope);
      case 'let':
        return evaluate(step, () => step.values.evaluate(scope.values));
      case 'switch':
        return yield* this.chooseBranch(step, scope);
      case 'for_each':
        return yield* this.forEach(step, scope);
      case 'parallel':
        return yield* this.sideBySide(step, scope);
      case 'wait':
        return yield* this.wait(step, scope);
      case 'approval':
        return yield* this.askForApproval(step, scope);
      case 'assert':
        return this.assert(step, scope);
      case 'fail':
        return this.fail(step, scope);
      case 'hand_off':
        return this.handOff(step, scope);
      case 'output':
        return this.output(step, scope);
      default:
        throw StepFailure.of(
          step.id,
          'internal_error',
          `This release does not carry out steps of the kind ${step.kind}.`,
        );
    }
  }

  private *callTool(step: ToolStep, scope: StepScope): Progress {
    const call = this.callOf(step, scope);
    const policy = step.retry ?? this.plan.definition.retry;
    for (;;) {
      const outcome = this.plan.outcome(call.path);
      if (outcome?.ok) return outcome.output;
      if (!outcome) {
        yield [call];
        continue;
      }
      const delayMs = retryDelay(policy, call.operation, outcome.error, outcome.tries);
      if (delayMs === null) throw new StepFailure(outcome.error);
      yield [{ ...call, try: outcome.tries + 1, delayMs }];
    }
  }

  private callOf(step: ToolStep, scope: StepScope): Call {
    const operation = this.plan.definition.operations.get(step.operation);
    if (!operation)
      throw StepFailure.of(step.id, 'internal_error', `The definition has no operation ${step.operation}.`);
    const request = evaluate(step, () => step.with.evaluate(scope.values));
    if (!isJsonObject(request))
      throw StepFailure.of(step.id, 'tool_error', `The request of ${step.operation} must be an object.`);
    const misfit = operation.request?.validate(request)[0];
    if (misfit) {
      const place = misfit.pointer || 'its root';
      throw StepFailure.of(
        step.id,
        'tool_error',
        `The request does not fit ${operation.fullName} at ${place}: ${misfit.detail}`,
      );
    }
    const timeoutMs = Math.min(step.timeoutMs ?? operation.timeoutMs, operation.timeoutMs);
    return {
      kind: 'call',
      path: scope.pathOf(step.id),
      stepId: step.id,
      operation,
      request,
      timeoutMs,
      try: 1,
      delayMs: 0,
    };
  }

  private *chooseBranch(step: SwitchStep, scope: StepScope): Progress {
    for (const { when, steps } of step.branches) {
      const holds = when === null || evaluate(step, () => when.evaluate(scope.values));
      if (holds) return yield* this.plan.carryOut(steps, scope);
    }
    return null;
  }

  private *forEach(step: ForEachStep, scope: StepScope): Progress {
    const items = evaluate(step, () => step.items.evaluate(scope.values));
    if (!Array.isArray(items))
      throw StepFailure.of(step.id, 'assertion_failed', 'The value of `for_each` must be a list.');
    const rounds = items.map(
      (item, index) => () => this.plan.carryOut(step.steps, scope.round(step.id, index, step.as, item)),
    );
    return yield* concurrently(rounds, step.maxParallel);
  }

  private *sideBySide(step: ParallelStep, scope: StepScope): Progress {
    const scopes = step.branches.map(() => scope.branch());
    const branches = step.branches.map((steps, index) => () => this.plan.carryOut(steps, scopes[index] ?? scope));
    const outputs = yield* concurrently(branches, branches.length);
    scope.join(scopes);
    return outputs;
  }

  private *wait(step: WaitStep, scope: StepScope): Progress {
    const path = scope.pathOf(step.id);
    const time = asText(evaluate(step, () => (step.for ?? step.until)?.evaluate(scope.values) ?? null));
    const forMs = step.for === null ? null : parseDuration(time);
    const until = step.until === null ? null : time;
    if (forMs === undefined) {
      throw StepFailure.of(step.id, 'assertion_failed', `${time} is not a duration such as 5m.`);
    }
    if (until !== null && Number.isNaN(Date.parse(until))) {
      throw StepFailure.of(step.id, 'assertion_failed', `${until} is not a time such as 2030-01-31T08:00:00Z.`);
    }
    return yield* this.outcomeOf({ kind: 'wait', path, stepId: step.id, forMs, until });
  }

  private *askForApproval(step: ApprovalStep, scope: StepScope): Progress {
    const rule = this.plan.definition.approvals.get(step.approval);
    if (!rule) throw StepFailure.of(step.id, 'internal_error', `The definition has no approval ${step.approval}.`);
    const shown = step.show.length > 0 ? step.show : rule.show;
    const show = Object.fromEntries(
      shown.map((expression) => [expression.source, evaluate(step, () => expression.evaluate(scope.values))]),
    );
    return yield* this.outcomeOf({ kind: 'approval', path: scope.pathOf(step.id), stepId: step.id, rule, show });
  }

  private *outcomeOf(ask: Ask): Progress {
    let outcome = this.plan.outcome(ask.path);
    while (!outcome) {
      yield [ask];
      outcome = this.plan.outcome(ask.path);
    }
    if (!outcome.ok) throw new StepFailure(outcome.error);
    return outcome.output;
  }

  private assert(step: AssertStep, scope: StepScope): JsonValue {
    const holds = evaluate(step, () => step.condition.evaluate(scope.values));
    const detail = { expression: step.condition.source };
    this.plan.note({ type: 'assertion', path: scope.pathOf(step.id), state: holds ? 'succeeded' : 'failed', detail });
    if (holds) return true;
    const { message } = step;
    const text = message === null ? null : asText(evaluate(step, () => message.evaluate(scope.values)));
    throw StepFailure.of(step.id, 'assertion_failed', text ?? `The assertion does not hold: ${step.condition.source}`);
  }

  private fail(step: FailStep, scope: StepScope): never {
    throw StepFailure.of(
      step.id,
      'assertion_failed',
      asText(evaluate(step, () => step.message.evaluate(scope.values))),
    );
  }

  private handOff(step: HandOffStep, scope: StepScope): never {
    const { reason } = step;
    const text = reason === null ? null : asText(evaluate(step, () => reason.evaluate(scope.values)));
    const detail: JsonObject = { to: [...step.to], reason: text };
    this.plan.note({ type: 'hand_off', path: scope.pathOf(step.id), state: 'succeeded', detail });
    throw new RunEnds({ status: 'handed_off', output: detail });
  }

  private output(step: OutputStep, scope: StepScope): JsonValue {
    const output = evaluate(step, () => step.value.evaluate(scope.values));
    this.plan.setOutput(output);
    this.plan.note({ type: 'output', path: scope.pathOf(step.id), state: 'succeeded', detail: { output } });
    return output;
  }
}

/** An expression that cannot be evaluated fails the step that it stands in. */
function evaluate<T>(step: CompiledStep, evaluation: () => T): T {
  try {
    return evaluation();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const hint = error.suggestion ? ` ${error.suggestion}` : '';
    throw StepFailure.of(step.id, 'assertion_failed', `${error.message} (in \`${error.expression}\`)${hint}`);
  }
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
