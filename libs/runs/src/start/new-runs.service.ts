import type { FileEntity } from '@app/files';
import type { Principal } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { type CompiledDefinition, type ConcurrencyRule, ExpressionError } from '@app/definition';
import { canonicalJson, Clock, DomainError, type JsonObject } from '@app/kernel';
import { type ModelsConfig, modelsConfig } from '@app/platform/models';
import { sha256 } from '@app/platform/crypto';
import { BudgetsService } from '../calls/budgets.service.js';
import type { RunContext } from '../interpreter/step-scope.js';
import type { InheritedRedaction } from '../privacy/inherited-redaction.js';
import { referencesIn } from '../privacy/file-references.js';
import { RunPrivaciesService } from '../privacy/run-privacies.service.js';
import { InputFilesService } from './input-files.service.js';
import type { Creation, QueueRules, Replay } from '../records/run-commands.js';
import type { RunMode } from '../records/run-status.js';

export interface StartRun {
  workspaceId: string;
  agentId: string;
  initiator: {
    email: string;
    keyKind: 'live' | 'test';
    mayPromote?: boolean;
  };
  input: JsonObject;
  mode?: RunMode;
  version?: number;
  idempotency?: { endpoint: string; key: string; fingerprint: Buffer };
  trigger?: JsonObject;
  /** The label of the run beside those of its definition. Lists find it by a column of `listed_runs`. */
  labels?: { mcp_client: string };
  replay?: Replay;
  redaction?: InheritedRedaction | undefined;
  isDraft?: true;
  /** The caller, who may use files. Absent if no person sent the input: an id in it is then plain data. */
  caller?: Principal | undefined;
  /** Files that the run may use whoever sent the input, by id. */
  files?: ReadonlyMap<string, FileEntity> | undefined;
}

const BY_REQUEST: JsonObject = { type: 'api' };
/** A longer key is replaced by its digest, because Postgres limits the size of index rows. */
const MAX_KEY = 256;

/** If a trigger starts the run, `initiator` is null. */
type RunRequest = Omit<StartRun, 'initiator' | 'mode'> & { initiator: { email: string } | null };

interface PreparedVersion {
  id: string;
  mode: RunMode;
  version: number;
  definition: CompiledDefinition;
  agentName?: string;
}

@Injectable()
export class NewRunsService {
  private readonly shares: FairShares;

  constructor(
    private readonly privacies: RunPrivaciesService,
    private readonly budgets: BudgetsService,
    readonly inputs: InputFilesService,
    clock: Clock,
    @Inject(modelsConfig.KEY) private readonly config: ModelsConfig,
  ) {
    this.shares = new FairShares(clock);
  }

  /**
   * Call this method if the caller can retry the start on a later day. Otherwise call {@link prepare}: if the budget is
   * used up, the run starts, but fails at its first model turn.
   * @throws DomainError the errors of {@link prepare}, and `budget_exceeded` if the daily budget is used up
   */
  async prepareWithinBudget(request: RunRequest, about: PreparedVersion): Promise<Creation> {
    await this.budgets.admitRun(request, about.definition.limits.budget);
    return this.prepare(request, about);
  }

  prepare(
    request: RunRequest,
    { id, mode, version, definition, agentName = definition.name }: PreparedVersion,
  ): Creation {
    const {
      workspaceId,
      agentId,
      initiator,
      idempotency = null,
      trigger = BY_REQUEST,
      replay,
      isDraft,
      files,
    } = request;
    const privacy = this.privacies.of(request, definition, request.redaction);
    const input = privacy.sealedObject(request.input, ['input']);
    const { type = null } = trigger;
    const headStartMs = this.shares.headStart(workspaceId);
    const agent = { id: agentId, name: definition.name, version };
    const queued = queueRules(definition, { input: request.input, trigger, agent });
    const rules = { headStartMs, ...queued, ...(isDraft && { isDraft }) };
    return {
      id,
      workspaceId,
      agentId,
      agentName,
      version,
      pinned: request.version !== undefined,
      mode,
      // The type of the trigger is never sealed, because the filters of lists read it.
      trigger: { ...privacy.sealedObject(trigger, ['trigger']), type },
      input,
      labels: { ...definition.labels, ...request.labels },
      initiator: initiator?.email ?? null,
      currency: runCurrency(definition, this.config),
      idempotency,
      files: [
        ...referencesIn({ value: request.input, step: null, places: [['input']], isRoot: true }, privacy, files),
        ...referencesIn({ value: trigger, step: null, places: [['trigger']], isRoot: true }, privacy, files),
      ],
      rules: privacy.redactsNothing ? rules : withDigest(rules),
      replayOf: replay?.of ?? null,
      ...(replay && { replay }),
    };
  }
}

/**
 * Returns the currency of the run: the currency of the budget. Without a budget, the currency of the model's price.
 * Without a budget and a price, the currency of the installation.
 */
function runCurrency({ limits, model }: CompiledDefinition, { modelProviders, currency }: ModelsConfig): string {
  const price = model && modelProviders.get(model.provider)?.prices.get(model.name);
  return limits.budget?.currency ?? price?.currency ?? currency;
}

function withDigest({ concurrency, ...rules }: QueueRules): QueueRules {
  if (!concurrency?.key) return { ...rules, concurrency };
  return { ...rules, concurrency: { ...concurrency, key: digestOf(concurrency.key) } };
}

type QueueFacts = Pick<RunContext, 'input' | 'trigger' | 'agent'>;

function queueRules({ limits, concurrency }: CompiledDefinition, facts: QueueFacts): QueueRules {
  const { queueTtlMs } = limits;
  if (!concurrency) return { queueTtlMs, concurrency: null };
  const { max, maxPerKey, onConflict } = concurrency;
  return {
    queueTtlMs,
    concurrency: {
      max,
      maxPerKey,
      key: concurrencyKey(concurrency, facts),
      rejectConflict: onConflict === 'reject',
    },
  };
}

const digestOf = (key: string): string => `sha256:${sha256(key).toString('hex')}`;

function concurrencyKey({ key }: ConcurrencyRule, facts: QueueFacts): string | null {
  if (!key) return null;
  try {
    const text = canonicalJson(key.evaluate(facts));
    return text.length > MAX_KEY ? digestOf(text) : text;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new DomainError(
      'input_invalid',
      `The agent's concurrency key cannot be computed from this input: ${error.message}`,
      { cause: error },
    );
  }
}

const MAX_WORKSPACES = 10_000;
/**
 * A new run is due as if it had been created this long ago. The first run of a workspace that has not started runs
 * recently has almost the maximum head start.
 */
const MAX_MILLIS = 300_000;
/**
 * Number of milliseconds by which each run reduces the head start of its workspace. If the workspace starts fewer than
 * 50 runs per second, the head start grows faster than it is used.
 */
const PER_RUN_MILLIS = 20;

/**
 * Orders the waiting runs of several workspaces by start-time fair queueing. The clock advances by {@link
 * PER_RUN_MILLIS} with each run of the workspace. It is at most five minutes behind the real time, and never ahead of
 * it. The wake time of a run is the time of this clock, and workers take due runs in the order of their wake times.
 * Each process has its own clocks, so the shares are less exact if there are several API processes.
 */
export class FairShares {
  private readonly clocks = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Each call counts as one run. */
  headStart(workspaceId: string): number {
    const now = this.clock.monotonicMillis();
    if (this.clocks.size >= MAX_WORKSPACES) this.clocks.clear();
    const earliest = now - MAX_MILLIS;
    const virtual = Math.min(now, Math.max(earliest, this.clocks.get(workspaceId) ?? earliest) + PER_RUN_MILLIS);
    this.clocks.set(workspaceId, virtual);
    return Math.round(now - virtual);
  }
}
