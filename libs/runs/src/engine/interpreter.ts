import type { CompiledDefinition, CompiledStep } from '@app/agents/definition';
import type { JsonValue } from '@app/kernel';
import type { Decision, Ending, Note, Outcomes } from './plan.js';
import { type Progress, RunEnds, StepFailure } from './progress.js';
import type { CallError, RunError } from './run-error.js';
import { type RunFacts, StepScope } from './step-scope.js';
import { StepKinds } from './step-kinds.js';

/**
 * Carries out the plan of a definition: a pure function of the definition, the run's facts and the outcomes so far.
 * Feeding it the outcomes of an earlier attempt leads to exactly the place where that attempt was, which is how a run
 * goes on in another process: recorded calls are not asked for again.
 */
export class Interpreter {
  private readonly progress: Progress<Ending>;
  private readonly steps: StepKinds;
  private outcomes: Outcomes = new Map();
  private notes: Note[] = [];
  private output: JsonValue = null;

  /** `noted`: the paths of notes that an earlier attempt recorded; they are not made again. */
  constructor(
    private readonly definition: CompiledDefinition,
    facts: RunFacts,
    private readonly noted: ReadonlySet<string>,
  ) {
    this.steps = new StepKinds({
      definition,
      outcome: (path) => this.outcomes.get(path),
      note: (note) => this.note(note),
      setOutput: (output) => (this.output = output),
      carryOut: (steps, scope) => this.carryOut(steps, scope),
    });
    this.progress = this.run(StepScope.of(facts));
  }

  /** Goes on as far as the outcomes allow. What it has asked for before it asks for again until there is an outcome. */
  next(outcomes: Outcomes): Decision {
    this.outcomes = outcomes;
    this.notes = [];
    const step = this.progress.next();
    if (!step.done) return { kind: 'asks', asks: step.value, notes: this.notes };
    return { kind: 'end', ending: step.value, notes: this.notes };
  }

  private *run(scope: StepScope): Progress<Ending> {
    try {
      yield* this.carryOut(this.definition.steps, scope);
      return this.succeed();
    } catch (thrown) {
      if (thrown instanceof RunEnds) return thrown.ending;
      if (!(thrown instanceof StepFailure)) throw thrown;
      return yield* this.fail(runError(thrown.error), scope);
    }
  }

  private succeed(): Ending {
    const problem = this.definition.output?.validate(this.output)[0];
    if (!problem) return { status: 'succeeded', output: this.output };
    const message = `The output does not fit the definition's schema at ${problem.pointer || 'its root'}: ${problem.detail}`;
    return this.failed({ code: 'output_invalid', message, step: null });
  }

  /** The steps of `on_failure` run once; whatever becomes of them, the run fails with its own error. */
  private *fail(error: RunError, scope: StepScope): Progress<Ending> {
    try {
      yield* this.carryOut(this.definition.onFailure, scope.with('error', error));
    } catch (thrown) {
      if (!(thrown instanceof StepFailure) && !(thrown instanceof RunEnds)) throw thrown;
    }
    return this.failed(error);
  }

  private failed(error: RunError): Ending {
    this.note({ type: 'error', path: '', state: 'failed', detail: { ...error } });
    return { status: 'failed', error };
  }

  private *carryOut(steps: readonly CompiledStep[], scope: StepScope): Progress {
    let last: JsonValue = null;
    for (const step of steps) {
      if (!this.steps.applies(step, scope)) continue;
      last = yield* this.carryOutStep(step, scope);
      scope.setOutput(step.id, last);
    }
    return last;
  }

  private *carryOutStep(step: CompiledStep, scope: StepScope): Progress {
    try {
      return yield* this.steps.carryOut(step, scope);
    } catch (thrown) {
      if (thrown instanceof StepFailure && step.continueOnError) return null;
      throw thrown;
    }
  }

  private note(note: Note): void {
    if (!this.noted.has(note.path)) this.notes.push(note);
  }
}

function runError({ code, message, step }: CallError): RunError {
  return { code, message, step };
}
