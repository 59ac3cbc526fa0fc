import { CompiledVersionsService } from '@app/agents';
import {
  blocksOf,
  type CallbackWait,
  type CompiledDefinition,
  type CompiledStep,
  type KnownFiles,
  withFileMembers,
} from '@app/definition';
import type { FileEntity } from '@app/files';
import { DomainError, isJsonObject, type JsonObject } from '@app/kernel';
import { JobQueueService } from '@app/platform/queue';
import { Injectable } from '@nestjs/common';
import { SecretRedaction } from '@app/platform/observability';
import { stepOf } from '../interpreter/plan.js';
import { referencesIn } from '../privacy/file-references.js';
import { learnRecorded, outputPlaces } from '../privacy/private-run-store.js';
import type { RunPrivacy } from '../privacy/run-privacy.js';
import { openedRun, openedStep, RunPrivaciesService } from '../privacy/run-privacies.service.js';
import { RunsRepository } from '../read/runs.repository.js';
import type { RunEntity } from '../records/run.entity.js';
import { type AcceptedValue, InputFilesService } from '../start/input-files.service.js';
import { executeRun } from '../store/run.jobs.js';
import { CallbackAddressesService, type CallbackPlace } from './callback-addresses.service.js';
import { CallbacksStore, type CallbackVerdict } from './callbacks.store.js';

export interface OpenCallback {
  place: CallbackPlace;
  workspaceId: string;
}

/** The token in the URL is their only authorisation. */
@Injectable()
export class CallbacksService {
  constructor(
    private readonly addresses: CallbackAddressesService,
    private readonly store: CallbacksStore,
    private readonly runs: RunsRepository,
    private readonly versions: CompiledVersionsService,
    private readonly privacies: RunPrivaciesService,
    private readonly queue: JobQueueService,
    private readonly inputs: InputFilesService,
  ) {}

  /** @throws DomainError `not_found` if this installation did not make the token */
  placeOf(token: string): CallbackPlace {
    const place = this.addresses.placeOf(token);
    if (!place) throw unknownToken();
    return place;
  }

  /** @throws DomainError `not_found` (the run was deleted), `callback_closed` */
  async open(place: CallbackPlace): Promise<OpenCallback> {
    const { workspaceId, verdict } = await this.store.find(place);
    if (workspaceId === null) throw unknownToken();
    refuseUnlessOpen(verdict);
    return { place, workspaceId };
  }

  /**
   * After this method resolves, the run continues, even if a process crashes.
   * @param known the files that arrived with the body
   * @throws DomainError `input_invalid` (the sender can send the request again), `callback_closed`, `not_found`
   */
  async accept(
    { place, workspaceId }: OpenCallback,
    body: JsonObject,
    known?: ReadonlyMap<string, FileEntity>,
  ): Promise<void> {
    const run = await this.runs.find(workspaceId, place.runId);
    if (!run) throw unknownToken();
    const definition = await this.versions.get(workspaceId, run.agentId, run.version);
    const step = stepOf(place.path);
    const callback = callbackOf([...definition.steps, ...definition.onFailure], step);
    if (step === null || !callback) throw unknownToken();
    // The body may repeat the callback URL to which it was sent. The token in this URL must not be stored.
    const plain = new SecretRedaction([this.addresses.tokenOf(place)]).object(body);
    const value = withFileMembers(plain, definition.files);
    const offered = {
      workspaceId,
      member: '',
      value: isJsonObject(value) ? value : plain,
      schema: callback.schema?.schema,
      caller: null,
    };
    const accepted = await this.inputs.accept({
      ...offered,
      source: { type: 'callback', run: run.id },
      added: ({ file }) => (typeof file === 'string' && known?.has(file) ? ['file'] : []),
      ...(known && { known }),
    });
    try {
      checkBody(callback, step, accepted.value, accepted.files);
      await this.record(place, run, definition, accepted);
    } catch (error) {
      await this.inputs.discard(workspaceId, accepted.stored);
      throw error;
    }
    this.queue.enqueue(executeRun, { runId: run.id });
  }

  private async record(
    place: CallbackPlace,
    run: RunEntity,
    definition: CompiledDefinition,
    { value, files }: AcceptedValue,
  ): Promise<void> {
    const privacy = this.privacies.ofRun(run, definition);
    const stored = await this.stored(run, privacy, place, value);
    const places = outputPlaces(place.path, null);
    const references = referencesIn({ value, step: place.path, places, isRoot: true }, privacy, files);
    refuseUnlessOpen(await this.store.accept(place, stored, references));
  }

  /** If several steps of a run wait for callbacks, returns the URL of the first of these steps. */
  async urlsOf(workspaceId: string, runs: readonly RunEntity[]): Promise<ReadonlyMap<string, string>> {
    const waiting = runs.filter((run) => run.waiting?.for === 'callback').map(({ id }) => id);
    const paths = await this.store.awaited(workspaceId, waiting);
    return new Map([...paths].map(([runId, path]) => [runId, this.addresses.urlOf({ runId, path })]));
  }

  private async stored(
    run: RunEntity,
    privacy: RunPrivacy,
    { path }: CallbackPlace,
    body: JsonObject,
  ): Promise<JsonObject> {
    if (privacy.redactsNothing) return body;
    const steps = await this.runs.stepsAfter(run.workspaceId, run.id, 0);
    const { input, trigger } = openedRun(run, privacy);
    learnRecorded(privacy, { input, trigger, steps: steps.map((step) => openedStep(step, privacy)) });
    return privacy.sealedObject(body, ...outputPlaces(path, null));
  }
}

function callbackOf(steps: readonly CompiledStep[], id: string | null): CallbackWait | undefined {
  for (const step of steps) {
    if (step.id === id) return step.kind === 'wait' ? step.callback : undefined;
    for (const block of blocksOf(step)) {
      const found = callbackOf(block, id);
      if (found) return found;
    }
  }
  return undefined;
}

function checkBody({ schema }: CallbackWait, step: string, body: JsonObject, files: KnownFiles): void {
  const errors = schema?.validate(body, undefined, files) ?? [];
  const [first] = errors;
  if (!first) return;
  const where = first.pointer === '' ? 'The body' : `\`${first.pointer}\` of the body`;
  throw new DomainError(
    'input_invalid',
    `${where} does not match the schema of the callback \`${step}\`: ${first.detail} Correct the body and send it again.`,
    { errors },
  );
}

function refuseUnlessOpen(verdict: CallbackVerdict): void {
  if (verdict === 'not_found') throw unknownToken();
  if (verdict === 'closed')
    throw new DomainError('callback_closed', 'The callback was used, has expired, or its run has ended.');
}

function unknownToken(): DomainError {
  return new DomainError('not_found', 'There is no callback with this token.');
}
