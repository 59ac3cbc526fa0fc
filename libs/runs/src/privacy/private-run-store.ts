import type { FileReference } from '@app/files';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { RunOutcome } from '../interpreter/plan.js';
import type {
  Advance,
  AdvanceVerdict,
  ClaimedRun,
  Finish,
  Gate,
  StepIntent,
  StepNote,
  StepResult,
  TurnMessages,
} from '../records/run-commands.js';
import type { RunStore } from '../store/run.store.js';
import type { RedactPath } from './redact-paths.js';
import type { RunPrivacy } from './run-privacy.js';

type SaidStep = Pick<StepResult, 'output' | 'error' | 'detail'>;

export interface AttemptStore extends Pick<RunStore, 'advance' | 'finish' | 'release'> {
  onStepOutput?: (stepId: string, output: JsonValue) => void;
}

/** Seals the values that an attempt writes, and decrypts the values that it reads. */
export class PrivateRunStore implements AttemptStore {
  private readonly paths = new Map<number, string>();
  private readonly tools = new Map<string, string>();
  private readonly turns = new Set<string>();

  constructor(
    private readonly store: AttemptStore,
    private readonly privacy: RunPrivacy,
    run: ClaimedRun,
  ) {
    learnRecorded(privacy, run);
    for (const { n, path, type, tool } of run.steps) {
      this.remember(n, path, tool);
      if (type === 'model_call') this.turns.add(path);
    }
  }

  /**
   * The trace does not contain the output of some steps, such as `let`, but later records can repeat values of these
   * outputs.
   */
  onStepOutput(stepId: string, output: JsonValue): void {
    this.privacy.trackValue(output, ['steps', stepId, 'output']);
  }

  async advance(run: ClaimedRun, op: string, write: Advance): Promise<AdvanceVerdict> {
    const { results, notes, intents } = write;
    const sealed = {
      ...write,
      results: this.results(results),
      notes: this.notes(notes),
      intents: intents.map((intent) => this.intent(intent)),
    };
    const verdict = await this.store.advance(run, op, sealed);
    if (verdict.verdict !== 'ok') return verdict;
    const steps = verdict.steps.map((step) => {
      this.remember(step.n, step.path, undefined);
      const { request, output, error } = step;
      return {
        ...step,
        request: this.privacy.openedObject(request),
        output: this.privacy.opened(output),
        error: error && this.privacy.openedError(error),
      };
    });
    return { ...verdict, steps };
  }

  async finish(run: ClaimedRun, op: string, write: Finish): Promise<'ok' | 'cancelled' | 'fenced'> {
    const { results, notes, outcome } = write;
    const sealed = {
      ...write,
      results: this.results(results),
      notes: this.notes(notes),
      outcome: this.runOutcome(outcome),
    };
    return this.store.finish(run, op, sealed);
  }

  async release(
    run: ClaimedRun,
    results: readonly StepResult[],
    files: readonly FileReference[],
  ): Promise<'released' | 'cancelled' | 'fenced'> {
    return this.store.release(run, this.results(results), files);
  }

  private remember(n: number, path: string, tool: string | null | undefined): void {
    this.paths.set(n, path);
    if (tool) this.tools.set(path, tool);
  }

  private results(results: readonly StepResult[]): StepResult[] {
    return results.map((result) => {
      const path = this.paths.get(result.n) ?? '';
      const messages = result.messages && { messages: this.messages(result.messages) };
      if (this.turns.has(path) && this.privacy.hidesTurns && result.output !== undefined)
        return { ...result, ...this.turn(result), ...messages };
      return { ...result, ...this.outcome(result, path, this.tools.get(path)), ...messages };
    });
  }

  private notes(notes: readonly StepNote[]): StepNote[] {
    return notes.map((note) => ({
      ...note,
      ...(note.request && { request: this.privacy.sealedObject(note.request, ...requestPlaces(note.tool)) }),
      ...(note.type === 'reasoning' && this.privacy.hidesTurns
        ? this.turn(note)
        : this.outcome(note, note.path, note.tool)),
    }));
  }

  private messages({ promptN, prompt, added }: TurnMessages): TurnMessages {
    const seal = (value: JsonValue): JsonValue =>
      this.privacy.hidesMessages ? this.privacy.hidden(value) : this.privacy.sealed(value);
    return { promptN, ...(prompt !== undefined && { prompt: seal(prompt) }), added: seal(added) };
  }

  private turn({ output, error, detail }: SaidStep): Pick<StepResult, 'output' | 'error' | 'detail'> {
    return {
      ...(output !== undefined && { output: this.privacy.hidden(output) }),
      ...(detail && { detail: this.turnDetail(detail) }),
      ...(error && { error: { ...error, message: this.privacy.text(error.message) } }),
    };
  }

  private turnDetail({ files, ...detail }: JsonObject): JsonObject {
    const summary = this.privacy.hidden(detail.summary ?? '');
    return { ...detail, ...(files !== undefined && { files: this.privacy.sealed(files) }), summary };
  }

  /**
   * Output and body are sealed first, so their redacted values are also redacted in the detail and the error message.
   */
  private outcome(
    { output, error, detail }: SaidStep,
    path: string,
    tool: string | undefined,
  ): Pick<StepResult, 'output' | 'error' | 'detail'> {
    const places = outputPlaces(path, tool);
    const body = error?.body === undefined ? undefined : this.privacy.sealed(error.body, ...bodyPlaces(path, tool));
    return {
      ...(output !== undefined && { output: this.privacy.sealed(output, ...places) }),
      ...(detail && { detail: this.detail(detail, places) }),
      ...(error && {
        error: { ...error, message: this.privacy.text(error.message), ...(body !== undefined && { body }) },
      }),
    };
  }

  /** Seals the detail of a step. `detail.output` of an `output` step is sealed like the output of the run. */
  private detail(detail: JsonObject, places: readonly RedactPath[]): JsonObject {
    const { output } = detail;
    if (output === undefined) return this.privacy.sealedDetail(detail);
    return {
      ...this.privacy.sealedDetail({ ...detail, output: null }),
      output: this.privacy.sealed(output, ['output'], ...places),
    };
  }

  private intent(intent: StepIntent): StepIntent {
    switch (intent.type) {
      case 'wait':
        return intent;
      case 'model_call':
        this.turns.add(intent.path);
        return intent;
      case 'approval':
        return { ...intent, gate: this.gate(intent.gate) };
      case 'tool_call': {
        this.tools.set(intent.path, intent.tool);
        const request = this.privacy.sealedObject(intent.request, ...requestPlaces(intent.tool));
        return { ...intent, request, ...(intent.gate && { gate: this.gate(intent.gate) }) };
      }
    }
  }

  private gate(gate: Gate): Gate {
    const { question } = gate;
    const title = question?.title == null ? null : this.privacy.text(question.title);
    return {
      ...gate,
      reason: this.privacy.text(gate.reason),
      show: this.privacy.sealedShow(gate.show),
      ...(question && { question: { ...question, title } }),
    };
  }

  private runOutcome(outcome: RunOutcome): RunOutcome {
    if (outcome.status === 'failed') {
      const { error } = outcome;
      return { ...outcome, error: { ...error, message: this.privacy.text(error.message) } };
    }
    return { ...outcome, output: this.privacy.sealed(outcome.output, ['output']) };
  }
}

/** Other values that repeat them are then redacted too. */
export function learnRecorded(
  privacy: RunPrivacy,
  run: Pick<ClaimedRun, 'input' | 'trigger'> & {
    steps: readonly (Pick<StepIntent, 'path'> &
      Pick<ClaimedRun['steps'][number], 'tool' | 'request' | 'output' | 'error'>)[];
  },
): void {
  privacy.sealed(run.input, ['input']);
  privacy.sealed(run.trigger, ['trigger']);
  for (const { path, tool, request, output, error } of run.steps) {
    privacy.sealed(request, ...requestPlaces(tool));
    privacy.sealed(output, ...outputPlaces(path, tool));
    if (error?.body !== undefined) privacy.sealed(error.body, ...bodyPlaces(path, tool));
  }
}

/** Returns the place of the request of a call, as in `redact.paths`: `tools.crm.get.request`. */
export function requestPlaces(tool: string | null | undefined): RedactPath[] {
  return tool ? [['tools', ...tool.split('.'), 'request']] : [];
}

/** The place of a step does not contain the loops around the step. */
export function outputPlaces(path: string, tool: string | null | undefined): RedactPath[] {
  return [['steps', idOf(path), 'output'], ...responsePlaces(tool)];
}

/**
 * Returns the places of the body of an error, as in `redact.paths`: `steps.<id>.error.body` and, for a call,
 * `tools.crm.get.response`.
 */
function bodyPlaces(path: string, tool: string | null | undefined): RedactPath[] {
  return [['steps', idOf(path), 'error', 'body'], ...responsePlaces(tool)];
}

function idOf(path: string): string {
  const [own = ''] = path.split('#');
  return own.slice(own.lastIndexOf('.') + 1);
}

function responsePlaces(tool: string | null | undefined): RedactPath[] {
  return tool ? [['tools', ...tool.split('.'), 'response']] : [];
}
