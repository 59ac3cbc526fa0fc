import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import {
  type AssertStep,
  type CompiledDefinition,
  type CompiledStep,
  ExpressionError,
  type FailStep,
  type HandOffStep,
  type SwitchStep,
  type ToolStep,
} from '@app/agents/definition';
import type { Call, Decision, Ending, Note, Outcomes } from './plan.js';
import type { RunError, RunErrorCode } from './run-error.js';
import { type RunFacts, StepScope } from './step-scope.js';

/**
 * A part of the plan being carried out. It yields the calls it waits for and is resumed with every outcome known by then;
 * it returns the output of its last step.
 */
type Progress = Generator<readonly Call[], JsonValue, Outcomes>;

/** Thrown inside the interpreter when a step fails, and nowhere else. */
class StepFailure extends Error {
  constructor(readonly error: RunError) {
    super(error.message);
  }
}

/** Thrown inside the interpreter when a step ends the run on purpose. */
class RunEnds extends Error {
  constructor(readonly ending: Ending) {
    super(ending.status);
  }
}

/**
 * Carries out the plan of a definition: a pure function of the definition, the run's facts and the outcomes so far.
 * Feeding it the outcomes of an earlier attempt leads to exactly the place where that attempt was, which is how a run
 * goes on in another process: recorded calls are not asked for again.
 */
export class Interpreter {
  private readonly progress: Progress;
  private outcomes: Outcomes = new Map();
  private notes: Note[] = [];
  private output: JsonValue = null;

  /** `noted`: the paths of notes that an earlier attempt recorded; they are not made again. */
  constructor(
    private readonly definition: CompiledDefinition,
    facts: RunFacts,
    private readonly noted: ReadonlySet<string>,
  ) {
    this.progress = this.carryOut(definition.steps, StepScope.of(facts));
  }

  /** Goes on as far as the outcomes allow. Calls it has asked for before are asked for again until they have one. */
  next(outcomes: Outcomes): Decision {
    this.outcomes = outcomes;
    this.notes = [];
    try {
      const step = this.progress.next(outcomes);
      if (!step.done) return { kind: 'calls', calls: step.value, notes: this.notes };
      return this.end({ status: 'succeeded', output: this.output });
    } catch (thrown) {
      return this.end(endingOf(thrown));
    }
  }

  private end(ending: Ending): Decision {
    const checked = this.checkOutput(ending);
    if (checked.status === 'failed') this.note('error', '', 'failed', { ...checked.error });
    return { kind: 'end', ending: checked, notes: this.notes };
  }

  private checkOutput(ending: Ending): Ending {
    if (ending.status !== 'succeeded' || this.definition.output === null) return ending;
    const problem = this.definition.output.validate(ending.output)[0];
    if (!problem) return ending;
    const message = `The output does not fit the definition's schema at ${problem.pointer || 'its root'}: ${problem.detail}`;
    return { status: 'failed', error: { code: 'output_invalid', message, step: null } };
  }

  private *carryOut(steps: readonly CompiledStep[], scope: StepScope): Progress {
    let last: JsonValue = null;
    for (const step of steps) {
      if (!this.applies(step, scope)) continue;
      last = yield* this.carryOutStep(step, scope);
      scope.setOutput(step.id, last);
    }
    return last;
  }

  private applies(step: CompiledStep, scope: StepScope): boolean {
    const condition = step.if;
    return condition === null || this.evaluate(step, () => condition.evaluate(scope.values));
  }

  private *carryOutStep(step: CompiledStep, scope: StepScope): Progress {
    switch (step.kind) {
      case 'tool':
        return yield* this.callTool(step, scope);
      case 'let':
        return this.evaluate(step, () => step.values.evaluate(scope.values));
      case 'switch':
        return yield* this.chooseBranch(step, scope);
      case 'assert':
        return this.assert(step, scope);
      case 'fail':
        return this.fail(step, scope);
      case 'hand_off':
        return this.handOff(step, scope);
      case 'output':
        this.output = this.evaluate(step, () => step.value.evaluate(scope.values));
        this.note('output', scope.pathOf(step.id), 'succeeded', { output: this.output });
        return this.output;
      default:
        throw failure(step.id, 'internal_error', `This release does not carry out steps of the kind ${step.kind}.`);
    }
  }

  private *callTool(step: ToolStep, scope: StepScope): Progress {
    const operation = this.definition.operations.get(step.operation);
    if (!operation) throw failure(step.id, 'internal_error', `The definition has no operation ${step.operation}.`);
    const request = this.evaluate(step, () => step.with.evaluate(scope.values));
    const path = scope.pathOf(step.id);
    const call: Call = { path, stepId: step.id, operation, request: requestObject(step, request) };
    const misfit = operation.request?.validate(call.request)[0];
    if (misfit)
      throw failure(
        step.id,
        'tool_error',
        `The request does not fit ${operation.fullName} at ${misfit.pointer || '/'}: ${misfit.detail}`,
      );
    let outcome = this.outcomes.get(path);
    while (!outcome) {
      yield [call];
      outcome = this.outcomes.get(path);
    }
    if (!outcome.ok) throw new StepFailure(outcome.error);
    return outcome.output;
  }

  private *chooseBranch(step: SwitchStep, scope: StepScope): Progress {
    for (const { when, steps } of step.branches) {
      const holds = when === null || this.evaluate(step, () => when.evaluate(scope.values));
      if (holds) return yield* this.carryOut(steps, scope);
    }
    return null;
  }

  private assert(step: AssertStep, scope: StepScope): JsonValue {
    const holds = this.evaluate(step, () => step.condition.evaluate(scope.values));
    this.note('assertion', scope.pathOf(step.id), holds ? 'succeeded' : 'failed', {
      expression: step.condition.source,
    });
    if (holds) return true;
    const { message } = step;
    const text = message === null ? null : asText(this.evaluate(step, () => message.evaluate(scope.values)));
    throw failure(step.id, 'assertion_failed', text ?? `The assertion does not hold: ${step.condition.source}`);
  }

  private fail(step: FailStep, scope: StepScope): never {
    const message = asText(this.evaluate(step, () => step.message.evaluate(scope.values)));
    throw failure(step.id, 'assertion_failed', message);
  }

  private handOff(step: HandOffStep, scope: StepScope): never {
    const { reason } = step;
    const text = reason === null ? null : asText(this.evaluate(step, () => reason.evaluate(scope.values)));
    const detail: JsonObject = { to: [...step.to], reason: text };
    this.note('hand_off', scope.pathOf(step.id), 'succeeded', detail);
    throw new RunEnds({ status: 'handed_off', output: detail });
  }

  private note(type: Note['type'], path: string, state: Note['state'], detail: JsonObject): void {
    if (!this.noted.has(path)) this.notes.push({ path, type, state, detail });
  }

  /** An expression that cannot be evaluated fails the step that it stands in. */
  private evaluate<T>(step: CompiledStep, evaluation: () => T): T {
    try {
      return evaluation();
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      const hint = error.suggestion ? ` ${error.suggestion}` : '';
      throw failure(step.id, 'assertion_failed', `${error.message} (in \`${error.expression}\`)${hint}`);
    }
  }
}

function endingOf(thrown: unknown): Ending {
  if (thrown instanceof RunEnds) return thrown.ending;
  if (thrown instanceof StepFailure) return { status: 'failed', error: thrown.error };
  throw thrown;
}

function failure(step: string, code: RunErrorCode, message: string): StepFailure {
  return new StepFailure({ code, message, step });
}

function requestObject(step: ToolStep, request: JsonValue): JsonObject {
  if (isJsonObject(request)) return request;
  throw failure(step.id, 'tool_error', `The request of ${step.operation} must be an object.`);
}

function asText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
