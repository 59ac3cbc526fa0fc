import { type CompiledDefinition, type CompiledStep, ExpressionError, NO_FILES, readableSteps } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { conversation } from './conversation.js';
import { declaredOperations } from './tool-catalog.js';
import type { Ask, Decision, RunOutcome, Note, Outcome, Outcomes, RecordedCallbackUrl } from './plan.js';
import { inTime, type TimedPlan } from './block-timeout.js';
import { PAUSE, type Progress, RunEnds, StepFailure } from './progress.js';
import { type RunError, runError } from './run-error.js';
import { describedFiles, type RunFileIndex } from './run-file-facts.js';
import { failureNote, recordedFailure, type RecordedFailures } from './step-failures.js';
import { type RunContext, StepScope } from './step-scope.js';
import type { PlanInProgress, PlanObserver } from './plan-in-progress.js';
import { StepKinds } from './step-kinds.js';
import { computedTooMuch, LimitReached, WORK_PER_TURN, WorkMeter } from './work-meter.js';

export interface ResumeOptions {
  /** Needed only for blocks with a timeout. */
  now?: () => number;
  output?: JsonValue;
  failures?: ReadonlyMap<string, JsonObject>;
  /** Called only before new work that causes cost. */
  spentMicros?: () => bigint;
  workPerTurn?: number;
  release?: (path: string) => void;
  callbackUrl?: PlanInProgress['callbackUrl'];
  /** They differ from the requested ones if a person changed them. */
  requestOf?: PlanInProgress['requestOf'];
  gave?: (stepId: string, output: JsonValue) => void;
  files?: RunFileIndex;
  observer?: PlanObserver;
}

/**
 * The decisions depend only on the definition, the run context, the earlier records, the clock and the outcomes so far.
 * With the outcomes of an earlier attempt, the interpreter continues where this attempt ended.
 */
export class Interpreter {
  private readonly progress: Progress<RunOutcome>;
  private readonly scope: StepScope;
  private readonly plan: PlanInProgress;
  private readonly steps: StepKinds;
  private readonly timed: TimedPlan;
  private readonly meter: WorkMeter;
  private readonly recorded: RecordedFailures;
  private outcomes: Outcomes = new Map();
  private notes: Note[] = [];
  private output: JsonValue;
  private readonly read = new Set<string>();
  private readonly files: RunFileIndex;
  private readonly gave: (stepId: string, output: JsonValue) => void;
  private readonly releaseOutcome: (path: string) => void;

  constructor(
    private readonly definition: CompiledDefinition,
    private readonly facts: RunContext,
    private readonly recordedNotes: ReadonlySet<string>,
    options: ResumeOptions = {},
  ) {
    const {
      now = () => 0,
      output = null,
      spentMicros = () => 0n,
      gave = () => undefined,
      release = () => undefined,
      failures = new Map<string, JsonObject>(),
      callbackUrl = unsentUrl,
      requestOf = () => undefined,
      files = NO_FILES,
      observer,
    } = options;
    this.files = files;
    this.recorded = { failureAt: (path) => failures.get(path), outcomeAt: (path) => this.outcomes.get(path) };
    this.meter = new WorkMeter(options.workPerTurn ?? WORK_PER_TURN);
    this.output = output;
    this.gave = gave;
    this.releaseOutcome = release;
    this.timed = { now, wasNoted: (path) => this.recordedNotes.has(path), note: (note) => this.note(note) };
    this.plan = {
      definition,
      facts,
      spentMicros,
      outcome: (path) => this.outcome(path),
      release: (prefix) => this.release(prefix),
      note: (note) => this.note(note),
      meter: this.meter,
      files,
      callbackUrl,
      requestOf,
      begin: (stepId, at) => this.begin(stepId, at),
      pauseIfOver: () => this.pauseIfOver(),
      carryOut: (steps, scope) => this.carryOut(steps, scope),
      gave,
      ...(observer && { observer }),
    };
    this.steps = new StepKinds(this.plan);
    this.scope = StepScope.of(facts);
    this.progress = this.run(this.scope);
  }

  get outputs(): JsonObject {
    return this.scope.steps;
  }

  /** If it contains asks (see plan.ts), they include the asks of earlier decisions whose outcome is still unknown. */
  next(outcomes: Outcomes): Decision {
    this.outcomes = outcomes;
    this.notes = [];
    const step = this.progress.next();
    if (!step.done) return this.decision(step.value);
    return { kind: 'end', outcome: step.value, notes: this.notes };
  }

  private decision(asks: readonly Ask[]): Decision {
    const { notes } = this;
    if (asks !== PAUSE) return { kind: 'asks', asks, notes };
    this.meter.beginTurn();
    return { kind: 'pause', notes };
  }

  private *run(scope: StepScope): Progress<RunOutcome> {
    try {
      if (this.definition.kind === 'model') yield* this.askModel();
      else yield* this.carryOut(this.definition.steps, scope);
      this.checkOutput();
      return { status: 'succeeded', output: this.output };
    } catch (thrown) {
      if (thrown instanceof RunEnds) return thrown.outcome;
      if (thrown instanceof LimitReached) return this.failed(thrown.error);
      if (!(thrown instanceof StepFailure)) throw thrown;
      return yield* this.fail(thrown, scope);
    }
  }

  private *askModel(): Progress {
    const { instructions, output, turnRetry } = this.definition;
    const text = evaluated(() => instructions?.evaluate(this.facts) ?? '');
    const answer = yield* conversation(this.plan, {
      place: '',
      stepId: null,
      instructions: typeof text === 'string' ? text : JSON.stringify(text),
      data: this.facts.input,
      operations: declaredOperations(this.definition),
      knowledge: this.definition.knowledge,
      output,
      maxCalls: null,
      retry: turnRetry,
      timeoutMs: null,
      steps: {},
    });
    this.output = answer;
    this.note({ type: 'output', path: 'output', state: 'succeeded', detail: { output: answer } });
    return answer;
  }

  private checkOutput(): void {
    this.output = describedFiles(this.output, this.files, false);
    const problem = this.definition.output?.validate(this.output, undefined, this.files)[0];
    if (!problem) return;
    const message = `The output does not match the output schema of the definition at ${problem.pointer || 'its root'}: ${problem.detail}`;
    throw new StepFailure({ code: 'output_invalid', message, step: null });
  }

  /** Unless the steps of `on_failure` end the run, it fails with its original error, even if they fail too. */
  private *fail(thrown: StepFailure, scope: StepScope): Progress<RunOutcome> {
    const { steps, onFailure } = this.definition;
    const error = runError(thrown.error);
    scope.skip(steps);
    try {
      yield* this.carryOut(onFailure, scope.with('error', error));
    } catch (thrown) {
      if (thrown instanceof RunEnds) return thrown.outcome;
      if (!(thrown instanceof StepFailure || thrown instanceof LimitReached)) throw thrown;
    }
    return this.failed(error);
  }

  private failed(error: RunError): RunOutcome {
    this.note({ type: 'error', path: '', state: 'failed', detail: { ...error } });
    return { status: 'failed', error };
  }

  private *carryOut(steps: readonly CompiledStep[], scope: StepScope): Progress {
    let last: JsonValue = null;
    for (const step of steps) {
      yield* this.begin(step.id, scope);
      last = yield* this.carryOutStep(step, scope);
    }
    return last;
  }

  private *begin(stepId: string, scope: StepScope): Progress<void> {
    if (!this.meter.step(scope.size)) throw computedTooMuch(stepId, scope);
    yield* this.pauseIfOver();
  }

  private *pauseIfOver(): Progress<void> {
    if (this.meter.isTurnOver) yield PAUSE;
  }

  /** Returns null if the step is skipped, or if it fails and the plan continues. */
  private *carryOutStep(step: CompiledStep, scope: StepScope): Progress {
    try {
      if (!this.steps.applies(step, scope)) {
        scope.skip([step]);
        this.plan.observer?.ended(step.id, 'skipped');
        return null;
      }
      const output = yield* inTime(this.steps.carryOut(step, scope), step, scope.pathOf(step.id), this.timed);
      this.gave(step.id, output);
      scope.succeed(step.id, output);
      this.plan.observer?.ended(step.id, 'done');
      return output;
    } catch (thrown) {
      if (!(thrown instanceof StepFailure)) throw thrown;
      this.failStep(step, scope, thrown);
      return null;
    }
  }

  private failStep(step: CompiledStep, scope: StepScope, thrown: StepFailure): void {
    const path = scope.pathOf(step.id);
    const failure = recordedFailure(path, thrown, this.recorded);
    const continues = step.continueOnError || failure.circumstances.isRefusal === true;
    scope.fail(step.id, failure.error, continues);
    this.plan.observer?.ended(step.id, 'failed');
    scope.skip(readableSteps(step));
    const note = failureNote(this.definition, path, failure, continues);
    if (note) this.note(note);
    if (!continues) throw failure.ordered();
    this.meter.failure();
    this.gave(step.id, null);
  }

  private outcome(path: string): Outcome | undefined {
    const outcome = this.outcomes.get(path);
    if (outcome && path.includes(']')) this.read.add(path);
    return outcome;
  }

  private release(prefix: string): void {
    for (const path of this.read) {
      if (!path.startsWith(prefix)) continue;
      this.read.delete(path);
      this.releaseOutcome(path);
    }
  }

  private note(note: Note): void {
    if (this.recordedNotes.has(note.path)) return;
    this.notes.push(note);
    if (note.type === 'output') this.output = note.detail.output ?? null;
  }
}

function unsentUrl(path: string): RecordedCallbackUrl {
  return { path, placeholder: 'unsent', url: 'https://callback.invalid/v1/callbacks/unsent' };
}

/** If an expression in them cannot be evaluated, the run fails before the model is called. */
function evaluated(evaluation: () => JsonValue): JsonValue {
  try {
    return evaluation();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new StepFailure({
      code: 'assertion_failed',
      message: `The instructions cannot be computed: ${error.message}`,
      step: null,
    });
  }
}
