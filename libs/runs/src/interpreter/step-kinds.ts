import {
  type AgentStep,
  type ApprovalStep,
  type AskStep,
  type AssertStep,
  type CallbackWait,
  type CompiledStep,
  ExpressionError,
  type FailStep,
  type ForEachStep,
  type HandOffStep,
  KNOWLEDGE_SEARCH,
  type OutputStep,
  type ParallelStep,
  type RetrieveStep,
  type SwitchStep,
  type ToolStep,
  type WaitStep,
  withSharedBudget,
} from '@app/definition';
import { isJsonObject, type JsonObject, type JsonValue, parseDuration, parseInstant } from '@app/kernel';
import { type CallPlace, firstTry, outcomeOfCall, requestProblem } from './calls.js';
import { conversation } from './conversation.js';
import { exceedBudget, type JudgedCondition, type PlanInProgress } from './plan-in-progress.js';
import { type LoopHost, repeat } from './repeat.js';
import { retrieval } from './retrieval.js';
import { declaredOperations } from './tool-catalog.js';
import type { Ask, Call, CallbackRequest, Outcome } from './plan.js';
import { describedFiles } from './run-file-facts.js';
import { concurrently, type Progress, RunEnds, StepFailure } from './progress.js';
import type { StepScope } from './step-scope.js';
import { computedTooMuch, LimitReached, MAX_COMPUTED_CHARACTERS } from './work-meter.js';

export class StepKinds {
  private readonly loops: LoopHost;

  constructor(private readonly plan: PlanInProgress) {
    this.loops = {
      plan,
      evaluate: (step, evaluation) => this.evaluate(step, evaluation),
      outcomeOf: (ask) => this.outcomeOf(ask),
    };
  }

  applies(step: CompiledStep, scope: StepScope): boolean {
    return step.if === null || this.holds(step, { key: 'if', condition: step.if }, scope);
  }

  private holds(
    step: CompiledStep,
    judged: Pick<JudgedCondition, 'key' | 'branch' | 'condition'>,
    scope: StepScope,
  ): boolean {
    const holds = this.evaluate(step, () => judged.condition.evaluate(scope.values));
    this.plan.observer?.judged({ ...judged, step: step.id, scope: scope.values, holds });
    return holds;
  }

  *carryOut(step: CompiledStep, scope: StepScope): Progress {
    switch (step.kind) {
      case 'tool':
        return yield* this.callTool(step, scope);
      case 'retrieve':
        return yield* this.retrieve(step, scope);
      case 'let':
        return this.compute(step, () => step.values.evaluate(scope.values));
      case 'code':
        return yield* this.outcomeOf({
          kind: 'code',
          path: scope.pathOf(step.id),
          stepId: step.id,
          source: step.source,
          input: this.evaluate(step, () => step.with.evaluate(scope.values)),
          limits: step.limits,
        });
      case 'switch':
        return yield* this.chooseBranch(step, scope);
      case 'for_each':
        return yield* this.forEach(step, scope);
      case 'repeat':
        return yield* repeat(this.loops, step, scope);
      case 'parallel':
        return yield* this.sideBySide(step, scope);
      case 'wait':
        return yield* this.wait(step, scope);
      case 'approval':
        return yield* this.askForApproval(step, scope);
      case 'ask':
        return yield* this.ask(step, scope);
      case 'assert':
        return this.assert(step, scope);
      case 'fail':
        return this.fail(step, scope);
      case 'hand_off':
        return this.handOff(step, scope);
      case 'output':
        return this.output(step, scope);
      case 'agent':
        return yield* this.askModel(step, scope);
    }
  }

  private *callTool(step: ToolStep, scope: StepScope): Progress {
    const outcome = yield* outcomeOfCall(
      this.callOf(step, scope),
      step.retry ?? this.plan.definition.retry,
      this.plan.outcome,
    );
    if (outcome.ok) return outputOf(outcome);
    // The called agent and this run share the budget of this run.
    if (outcome.error.code === 'budget_exceeded') exceedBudget(this.plan, `${scope.pathOf(step.id)}.`, outcome.error);
    throw new StepFailure(outcome.error, true, { call: scope.pathOf(step.id) });
  }

  private callOf(step: ToolStep, scope: StepScope): Call {
    const operation = this.plan.definition.operations.get(step.operation);
    if (!operation)
      throw StepFailure.of(step.id, 'internal_error', `The definition has no operation ${step.operation}.`);
    const uses = step.callbacks?.map((use) => ({
      ...use,
      ...this.plan.callbackUrl(scope.pathAt(use.depth, use.step)),
    }));
    const values = uses ? scope.valuesWith(new Map(uses.map((use) => [use.step, use.url]))) : scope.values;
    const { files } = this.plan;
    const request = describedFiles(
      this.evaluate(step, () => step.with.evaluate(values)),
      files,
      false,
    );
    const problem = requestProblem(operation, request, files);
    if (!isJsonObject(request) || problem !== undefined) throw StepFailure.of(step.id, 'tool_error', problem ?? '');
    return { ...firstTry(operation, request, placeOf(step, scope)), ...(uses && { callbacks: uses }) };
  }

  private *retrieve(step: RetrieveStep, scope: StepScope): Progress {
    const query = asText(this.evaluate(step, () => step.query.evaluate(scope.values)));
    const lookup = { base: step.base, query, topK: step.topK };
    const outcome = yield* retrieval(this.plan, lookup, placeOf(step, scope), step.retry);
    if (!outcome.ok) throw new StepFailure(outcome.error, true, { call: scope.pathOf(step.id) });
    return outputOf(outcome);
  }

  private *askModel(step: AgentStep, scope: StepScope): Progress {
    const { definition } = this.plan;
    const operations =
      step.operations?.flatMap((name) => definition.operations.get(name) ?? []) ?? declaredOperations(definition);
    const data = this.evaluate(step, () => step.with?.evaluate(scope.values) ?? null);
    const instructions = this.evaluate(step, () => step.instructions.evaluate(scope.values));
    return yield* conversation(this.plan, {
      place: `${scope.pathOf(step.id)}.`,
      stepId: step.id,
      instructions: asText(instructions),
      data: data ?? this.plan.facts.input,
      operations,
      knowledge: operations.some(({ fullName }) => fullName === KNOWLEDGE_SEARCH) ? definition.knowledge : [],
      output: step.output,
      maxCalls: step.maxSteps,
      retry: step.retry ?? definition.turnRetry,
      timeoutMs: step.timeoutMs,
      steps: scope.steps,
    });
  }

  private *chooseBranch(step: SwitchStep, scope: StepScope): Progress {
    for (const [index, { when, steps }] of step.branches.entries()) {
      if (when === null || this.holds(step, { key: 'when', branch: index, condition: when }, scope)) {
        for (const later of step.branches.slice(index + 1)) scope.skip(later.steps);
        return yield* this.plan.carryOut(steps, scope);
      }
      scope.skip(steps);
      yield* this.plan.pauseIfOver();
    }
    return null;
  }

  private *forEach(step: ForEachStep, scope: StepScope): Progress {
    const items = this.evaluate(step, () => step.items.evaluate(scope.values));
    if (!Array.isArray(items))
      throw StepFailure.of(step.id, 'assertion_failed', 'The value of `for_each` must be a list.');
    const { stepsLeft } = this.plan.meter;
    if (items.length > stepsLeft) throw computedTooMuch(step.id, scope, `it has ${items.length} items`);
    return yield* concurrently(items.length, (index) => this.round(step, scope, index, items), step.maxParallel);
  }

  private *round(step: ForEachStep, scope: StepScope, index: number, items: readonly JsonValue[]): Progress {
    const round = scope.round(step.id, index, step.as, items[index] ?? null);
    try {
      yield* this.plan.begin(step.id, round);
      return yield* this.plan.carryOut(step.steps, round);
    } catch (thrown) {
      if (!(thrown instanceof StepFailure)) throw thrown;
      const failure = thrown.ofItem(step.id, index, items.length);
      throw step.maxParallel > 1 ? failure.amongOthers() : failure;
    }
  }

  private *sideBySide(step: ParallelStep, scope: StepScope): Progress {
    const scopes = step.branches.map(() => scope.branch());
    const branch = (index: number): Progress => this.plan.carryOut(step.branches[index] ?? [], scopes[index] ?? scope);
    try {
      return yield* concurrently(scopes.length, branch, scopes.length);
    } catch (thrown) {
      throw thrown instanceof StepFailure ? thrown.amongOthers() : thrown;
    } finally {
      // Also executed if a branch fails, so that later expressions can read the steps that ended before the failure.
      scope.join(scopes);
    }
  }

  private *wait(step: WaitStep, scope: StepScope): Progress {
    const path = scope.pathOf(step.id);
    if (step.callback) return yield* this.outcomeOf(this.callbackRequest(step, step.callback, scope));
    const time = asText(this.evaluate(step, () => (step.for ?? step.until)?.evaluate(scope.values) ?? null));
    const forMs = step.for === null ? null : parseDuration(time);
    const until = step.until === null ? null : time;
    if (forMs === undefined) {
      throw StepFailure.of(step.id, 'assertion_failed', `${time} is not a valid duration. Use a value such as 5m.`);
    }
    if (until !== null && parseInstant(until) === undefined) {
      throw StepFailure.of(
        step.id,
        'assertion_failed',
        `${until} is not a valid time. Use a value such as 2030-01-31T08:00:00Z.`,
      );
    }
    const isTooLong = forMs !== null && step.timeoutMs !== null && forMs > step.timeoutMs;
    const ask: Ask = { kind: 'wait', path, stepId: step.id, forMs: isTooLong ? step.timeoutMs : forMs, until };
    const output = yield* this.outcomeOf(ask);
    if (isTooLong)
      throw StepFailure.of(
        step.id,
        'timeout',
        `The wait is longer than the timeout of the step (${step.timeoutMs} ms).`,
      );
    return output;
  }

  private callbackRequest(
    step: WaitStep,
    { timeoutMs, schema, simulate }: CallbackWait,
    scope: StepScope,
  ): CallbackRequest {
    const isTest = this.plan.facts.run.mode === 'test';
    const simulated = isTest && simulate ? this.evaluate(step, () => simulate.evaluate(scope.values)) : null;
    const [misfit] = simulated === null ? [] : (schema?.validate(simulated, undefined, this.plan.files) ?? []);
    if (misfit) {
      const message = `The simulated callback does not match its schema at ${misfit.pointer || 'its root'}: ${misfit.detail}`;
      throw StepFailure.of(step.id, 'assertion_failed', message);
    }
    const limit = Math.min(step.timeoutMs ?? timeoutMs, timeoutMs);
    return { kind: 'callback', path: scope.pathOf(step.id), stepId: step.id, timeoutMs: limit, simulated };
  }

  private *askForApproval(step: ApprovalStep, scope: StepScope): Progress {
    const rule = this.plan.definition.approvals.get(step.approval);
    if (!rule) throw StepFailure.of(step.id, 'internal_error', `The definition has no approval ${step.approval}.`);
    const timeoutMs = Math.min(step.timeoutMs ?? rule.timeoutMs, rule.timeoutMs);
    const isOwn = step.show.length > 0;
    const show = withSharedBudget(() =>
      Object.fromEntries(
        (isOwn ? step.show : rule.show).map((expression) => {
          const value = (): JsonValue => expression.evaluate(scope.values);
          return [expression.source, isOwn ? this.evaluate(step, value) : shownIfThere(value)];
        }),
      ),
    );
    const path = scope.pathOf(step.id);
    const decided = yield* this.outcomeOf({
      kind: 'approval',
      path,
      stepId: step.id,
      rule: { ...rule, timeoutMs },
      show,
    });
    const { decision = null, decided_by = [], comment = null } = isJsonObject(decided) ? decided : {};
    return { decision, decided_by, comment };
  }

  private *ask(step: AskStep, scope: StepScope): Progress {
    const { title, show, waitMs, timeoutMs } = step;
    return yield* this.outcomeOf({
      kind: 'question',
      path: scope.pathOf(step.id),
      stepId: step.id,
      to: step.to,
      title: title && asText(this.evaluate(step, () => title.evaluate(scope.values))),
      form: step.form.schema,
      show: withSharedBudget(() =>
        Object.fromEntries(show.map((each) => [each.source, this.evaluate(step, () => each.evaluate(scope.values))])),
      ),
      timeoutMs: Math.min(timeoutMs ?? waitMs, waitMs),
      onTimeout: step.onTimeout,
    });
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
    const holds = this.holds(step, { key: 'assert', condition: step.condition }, scope);
    const detail = { expression: step.condition.source };
    this.plan.note({ type: 'assertion', path: scope.pathOf(step.id), state: holds ? 'succeeded' : 'failed', detail });
    if (holds) return true;
    const template = step.message;
    const text = template === null ? null : asText(this.evaluate(step, () => template.evaluate(scope.values)));
    const message = text ?? `The assertion is false: ${step.condition.source}`;
    throw new StepFailure({ code: 'assertion_failed', message, step: step.id });
  }

  private fail(step: FailStep, scope: StepScope): never {
    throw StepFailure.of(
      step.id,
      'assertion_failed',
      asText(this.evaluate(step, () => step.message.evaluate(scope.values))),
    );
  }

  private handOff(step: HandOffStep, scope: StepScope): never {
    const { reason } = step;
    const text = reason === null ? null : asText(this.evaluate(step, () => reason.evaluate(scope.values)));
    const detail: JsonObject = { to: [...step.to], reason: text };
    this.plan.note({ type: 'hand_off', path: scope.pathOf(step.id), state: 'succeeded', detail });
    throw new RunEnds({ status: 'handed_off', output: detail });
  }

  private output(step: OutputStep, scope: StepScope): JsonValue {
    const output = this.compute(step, () => step.value.evaluate(scope.values));
    this.plan.note({ type: 'output', path: scope.pathOf(step.id), state: 'succeeded', detail: { output } });
    return output;
  }

  private evaluate<T>(step: CompiledStep, evaluation: () => T): T {
    try {
      return this.plan.meter.evaluated(evaluation);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      const hint = error.suggestion ? ` ${error.suggestion}` : '';
      throw StepFailure.of(step.id, 'assertion_failed', `${error.message} (in \`${error.expression}\`)${hint}`);
    }
  }

  /** Counts its size, which is limited by {@link MAX_COMPUTED_CHARACTERS}. */
  private compute(step: CompiledStep, evaluation: () => JsonValue): JsonValue {
    return this.evaluate(step, () => {
      const { value, isWithinLimit } = this.plan.meter.computed(evaluation);
      if (isWithinLimit) return value;
      const message = `At the step \`${step.id}\`, the values that the run has computed exceed ${MAX_COMPUTED_CHARACTERS} characters in total. Store less in \`let\` and \`output\`, or split the work over several runs.`;
      throw new LimitReached({ code: 'step_limit', message, step: step.id });
    });
  }
}

function placeOf({ id, timeoutMs }: CompiledStep, scope: StepScope): CallPlace {
  return { path: scope.pathOf(id), stepId: id, timeoutMs, steps: scope.steps };
}

/**
 * An approval rule can be used both for calls and for approval steps. Its expressions may read `request`, which an
 * approval step does not have.
 */
function shownIfThere(value: () => JsonValue): JsonValue {
  try {
    return value();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return null;
  }
}

/** Throws a failure if people rejected the call and the run continues without the call. */
function outputOf({ output, refusal }: Outcome & { ok: true }): JsonValue {
  if (refusal) throw new StepFailure(refusal, true, { isRefusal: true });
  return output;
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
