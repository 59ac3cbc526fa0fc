import type { JsonObject, JsonValue } from '@app/kernel';
import type { RunOutcome } from '../interpreter/plan.js';
import type {
  Advance,
  AdvanceVerdict,
  ClaimedRun,
  Gate,
  StepIntent,
  StepNote,
  StepResult,
} from '../records/run-commands.js';
import type { RunStore } from '../store/run.store.js';
import type { RedactPath } from './redact-paths.js';
import type { RunPrivacy } from './run-privacy.js';

type SaidStep = Pick<StepResult, 'output' | 'error' | 'detail'>;

/** What an attempt writes. */
export interface AttemptStore extends Pick<RunStore, 'advance' | 'finish' | 'release'> {
  /** Told what each step gives before anything that is made of it is written. */
  onStepOutput?: (stepId: string, output: JsonValue) => void;
}

/**
 * The run store for a run with redacted paths: seals what an attempt writes and opens what it gets back, so that neither the
 * attempt nor the state machine knows of it. What is sent to a tool is what was stored, opened.
 */
export class PrivateRunStore implements AttemptStore {
  private readonly paths = new Map<number, string>();
  private readonly tools = new Map<string, string>();
  /** Paths of what models have said. */
  private readonly turns = new Set<string>();

  /** @param run as it was claimed and opened */
  constructor(
    private readonly store: AttemptStore,
    private readonly privacy: RunPrivacy,
    run: ClaimedRun,
  ) {
    // What the run began with is known from here on, wherever it turns up.
    privacy.sealed(run.input, ['input']);
    privacy.sealed(run.trigger, ['trigger']);
    for (const { n, path, type, tool, request, output } of run.steps) {
      this.remember(n, path, tool);
      if (type === 'model_call') this.turns.add(path);
      privacy.sealed(request, ...requestPlaces(tool));
      privacy.sealed(output, ...outputPlaces(path, tool));
    }
  }

  /** A step that computes has no line of its own; what is made of its output is written all the same. */
  onStepOutput(stepId: string, output: JsonValue): void {
    this.privacy.noted(output, ['steps', stepId, 'output']);
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
      return { ...step, request: this.privacy.openedObject(step.request), output: this.privacy.opened(step.output) };
    });
    return { ...verdict, steps };
  }

  async finish(
    run: ClaimedRun,
    op: string,
    write: { results: readonly StepResult[]; notes: readonly StepNote[]; outcome: RunOutcome },
  ): Promise<'ok' | 'cancelled' | 'fenced'> {
    const { results, notes, outcome } = write;
    const sealed = { results: this.results(results), notes: this.notes(notes), outcome: this.runOutcome(outcome) };
    return this.store.finish(run, op, sealed);
  }

  async release(run: ClaimedRun, results: readonly StepResult[]): Promise<'released' | 'cancelled' | 'fenced'> {
    return this.store.release(run, this.results(results));
  }

  private remember(n: number, path: string, tool: string | null | undefined): void {
    this.paths.set(n, path);
    if (tool) this.tools.set(path, tool);
  }

  private results(results: readonly StepResult[]): StepResult[] {
    return results.map((result) => {
      const path = this.paths.get(result.n) ?? '';
      if (this.turns.has(path) && this.privacy.hidesTurns && result.output !== undefined)
        return { ...result, ...this.turn(result) };
      return { ...result, ...this.outcome(result, path, this.tools.get(path)) };
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

  /** What a model said, sealed as a whole. */
  private turn({ output, error, detail }: SaidStep): Pick<StepResult, 'output' | 'error' | 'detail'> {
    return {
      ...(output !== undefined && { output: this.privacy.hidden(output) }),
      ...(detail && { detail: { ...detail, summary: this.privacy.hidden(detail.summary ?? '') } }),
      ...(error && { error: { ...error, message: this.privacy.text(error.message) } }),
    };
  }

  /** In the order in which values become known: what a tool answered may be repeated by its summary. */
  private outcome(
    { output, error, detail }: SaidStep,
    path: string,
    tool: string | undefined,
  ): Pick<StepResult, 'output' | 'error' | 'detail'> {
    const places = outputPlaces(path, tool);
    return {
      ...(output !== undefined && { output: this.privacy.sealed(output, ...places) }),
      ...(detail && { detail: this.detail(detail, places) }),
      ...(error && { error: { ...error, message: this.privacy.text(error.message) } }),
    };
  }

  /** The detail of an `output` step holds the output of the run. */
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
    return { ...gate, reason: this.privacy.text(gate.reason), show: this.privacy.sealedShow(gate.show) };
  }

  private runOutcome(outcome: RunOutcome): RunOutcome {
    if (outcome.status === 'failed') {
      const { error } = outcome;
      return { ...outcome, error: { ...error, message: this.privacy.text(error.message) } };
    }
    return { ...outcome, output: this.privacy.sealed(outcome.output, ['output']) };
  }
}

/** Where the request of a call stands in the words of `redact.paths`: `tools.crm.get.request`. */
export function requestPlaces(tool: string | null | undefined): RedactPath[] {
  return tool ? [['tools', ...tool.split('.'), 'request']] : [];
}

/** `steps.<id>.output` whatever loops are around the step, and `tools.crm.get.response`. */
function outputPlaces(path: string, tool: string | null | undefined): RedactPath[] {
  const [own = ''] = path.split('#');
  const id = own.slice(own.lastIndexOf('.') + 1);
  return [['steps', id, 'output'], ...(tool ? [['tools', ...tool.split('.'), 'response']] : [])];
}
