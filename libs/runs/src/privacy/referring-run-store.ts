import type { FileReference } from '@app/files';
import type { JsonValue } from '@app/kernel';
import type { Advance, AdvanceVerdict, ClaimedRun, Finish, StepResult } from '../records/run-commands.js';
import { type RecordedPlace, referencesIn } from './file-references.js';
import { type AttemptStore, outputPlaces, requestPlaces } from './private-run-store.js';
import type { RunPrivacy } from './run-privacy.js';

interface RecordedStep {
  path: string;
  tool: string | null;
}

/** Adds to each write of an attempt the files to which the written values refer. It sees the values before they are sealed. */
export class ReferringRunStore implements AttemptStore {
  private readonly steps = new Map<number, RecordedStep>();
  private readonly tools = new Map<string, string>();

  constructor(
    private readonly store: AttemptStore,
    private readonly privacy: RunPrivacy,
    run: Pick<ClaimedRun, 'steps'>,
  ) {
    for (const { n, path, tool = null } of run.steps) this.steps.set(n, { path, tool });
  }

  onStepOutput(stepId: string, output: JsonValue): void {
    this.store.onStepOutput?.(stepId, output);
  }

  async advance(run: ClaimedRun, op: string, write: Advance): Promise<AdvanceVerdict> {
    for (const intent of write.intents) if (intent.type === 'tool_call') this.tools.set(intent.path, intent.tool);
    const requests = write.intents.flatMap((intent): RecordedPlace[] =>
      intent.type === 'tool_call'
        ? [{ value: intent.request, step: intent.path, places: requestPlaces(intent.tool) }]
        : [],
    );
    const files = this.referencesIn([...this.recorded(write), ...requests]);
    const verdict = await this.store.advance(run, op, withFiles(write, files));
    if (verdict.verdict === 'ok') {
      for (const { n, path } of verdict.steps) this.steps.set(n, { path, tool: this.tools.get(path) ?? null });
    }
    return verdict;
  }

  async finish(run: ClaimedRun, op: string, write: Finish): Promise<'ok' | 'cancelled' | 'fenced'> {
    const { outcome } = write;
    const output: RecordedPlace[] =
      outcome.status === 'failed' ? [] : [{ value: outcome.output, step: null, places: [['output']] }];
    return this.store.finish(run, op, withFiles(write, this.referencesIn([...this.recorded(write), ...output])));
  }

  async release(run: ClaimedRun, results: readonly StepResult[]): Promise<'released' | 'cancelled' | 'fenced'> {
    return this.store.release(run, results, this.referencesIn(this.recorded({ results, notes: [] })));
  }

  private recorded({ results, notes }: Pick<Finish, 'results' | 'notes'>): RecordedPlace[] {
    const outputs = results.map(({ n, output }): RecordedPlace => {
      const { path = '', tool = null } = this.steps.get(n) ?? {};
      return { value: output, step: path, places: outputPlaces(path, tool) };
    });
    const noted = notes.flatMap(({ path, tool = null, request, output }): RecordedPlace[] => [
      { value: output, step: path, places: outputPlaces(path, tool) },
      { value: request, step: path, places: requestPlaces(tool) },
    ]);
    return [...outputs, ...noted];
  }

  private referencesIn(places: readonly RecordedPlace[]): FileReference[] {
    return places.flatMap((place) => referencesIn(place, this.privacy));
  }
}

/** A write without files stays as it is, so that it can share a commit with others. */
function withFiles<Write extends object>(write: Write, files: readonly FileReference[]): Write {
  return files.length === 0 ? write : { ...write, files };
}
