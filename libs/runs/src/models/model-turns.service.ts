import { Inject, Injectable } from '@nestjs/common';
import { Clock, DomainError, type JsonObject } from '@app/kernel';
import {
  type ModelPrice,
  type ModelProvider,
  type ModelsConfig,
  modelsConfig,
  UNKNOWN_MODEL,
} from '@app/platform/models';
import { uncountableCost } from '@app/agents';
import { SealedBox } from '@app/platform/crypto';
import { Notifications } from '@app/platform/database';
import { egressFetch, type EgressClient, MODEL_EGRESS } from '@app/platform/egress';
import { BudgetsService } from '../calls/budgets.service.js';
import type { Prompt } from '../interpreter/prompt.js';
import { SecretRedaction } from '@app/platform/observability';
import { refused } from '../calls/tool-call.js';
import { RunStore } from '../store/run.store.js';
import { AdaptedTurn, type TurnContent } from './adapted-turn.js';
import { usesChatCompletions } from './provider-quirks.js';
import { recordedTurn, type StreamedTurn, type TurnCall, type TurnResult } from './turn-call.js';
import { costDetail, turnCost, turnEstimate, UNKNOWN_USAGE } from './turn-cost.js';
import { type TurnFailure, turnFailure } from './turn-failure.js';
import { mergedOptions, promptCache, repeatablePrompt } from './prompt-cache.js';
import { type ParamWarning, requestParams } from './request-params.js';
import { withResponseFormat } from './response-form.js';
import { charactersOf, NO_FILES_SHOWN, type ShownFiles, ShownFilesService } from './shown-files.service.js';
import { turnMessages } from './turn-messages.js';
import { type SentParts, TurnStates, withoutParts } from './turn-states.js';
import { WatchedFetch } from './watched-fetch.js';
import { TurnTexts } from './turn-texts.js';

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const SUMMARY_CHARACTERS = 200;

const UNCOUNTED =
  'The budget of the run, or of a run that called it, cannot be enforced, because the model has no price in the currency of the budget. Add such a price in MODEL_PROVIDERS, or set the budget in the currency of the price.';

/** Enforces the daily budget of the agent and the budget of the run. */
@Injectable()
export class ModelTurnsService {
  private readonly texts: TurnTexts;
  private readonly states: TurnStates;

  constructor(
    @Inject(modelsConfig.KEY) private readonly config: ModelsConfig,
    @Inject(MODEL_EGRESS) private readonly egress: EgressClient,
    private readonly budgets: BudgetsService,
    private readonly clock: Clock,
    private readonly shownFiles: ShownFilesService,
    notifications: Notifications,
    box: SealedBox,
    store: RunStore,
  ) {
    this.states = new TurnStates(box, store, config.maxTurnStateBytes);
    this.texts = new TurnTexts(notifications, clock);
  }

  async takeTurn(call: TurnCall): Promise<TurnResult> {
    const { modelProviders } = this.config;
    const provider = modelProviders.get(call.model.provider);
    if (!provider) {
      const names = [...modelProviders.keys()].join(', ') || 'none';
      return refused(
        `This installation has no model provider ${call.model.provider}. Providers: ${names}.`,
        'provider_error',
      );
    }
    const price = provider.prices.get(call.model.name);
    const { budget } = call;
    const uncountable = budget && uncountableCost(call.model, price, budget.currency);
    if (uncountable) return refused(`${uncountable.detail} ${uncountable.remedy}`, 'budget_exceeded');
    const verdict = call.isFamily ? await this.budgets.runVerdict(call, price?.currency) : undefined;
    if (verdict === 'uncounted') return refused(UNCOUNTED, 'budget_exceeded');
    if (verdict === 'used_up')
      return refused('The budget of the run, or of a run that called it, is used up.', 'budget_exceeded');
    const prompt = repeatablePrompt(provider, call.prompt());
    const parts = await this.states.sendable(call, provider, prompt);
    const shown = await this.filesOf(call, prompt, provider);
    if ('kind' in shown) return shown;
    const content = [prompt.system, prompt.messages, prompt.tools, ...parts.values()];
    const refusal = await this.reserve(call, JSON.stringify(content).length + charactersOf(shown), price);
    if (refusal !== null) return refused(refusal, 'budget_exceeded');
    const hasBudget = budget !== null || verdict === 'within';
    return this.ask(call, prompt, { parts, shown }, { provider, hasBudget });
  }

  private async filesOf(
    call: TurnCall,
    { messages }: Prompt,
    provider: ModelProvider,
  ): Promise<ShownFiles | TurnResult> {
    const files = messages.flatMap((message) => (message.role === 'user' ? (message.files ?? []) : []));
    if (files.length === 0) return NO_FILES_SHOWN;
    const { workspaceId, fileRun: run, files: mode, signal, model, turns } = call;
    const { input } = provider.models.get(model.name) ?? UNKNOWN_MODEL;
    try {
      return await this.shownFiles.read({ workspaceId, run, files, mode, input, signal, attempt: turns });
    } catch (error) {
      if (signal.aborted) return { kind: 'not_started' };
      if (!(error instanceof DomainError)) throw error;
      const detail = { ...identity(call), summary: error.message };
      const awaitsStorage = error.kind === 'unavailable';
      const permanent = !awaitsStorage;
      return { kind: 'refused', code: 'tool_error', message: error.message, detail, permanent, awaitsStorage };
    }
  }

  private async reserve({ budget, ...call }: TurnCall, characters: number, price?: ModelPrice): Promise<string | null> {
    if (budget?.perDayMicros == null) return null;
    const { maxOutputTokens } = call.params;
    const turn = {
      characters,
      isCached: call.params.cache !== 'off',
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    };
    const estimate = turnEstimate(price, turn);
    return this.budgets.reserveTurn(call, budget, estimate);
  }

  private async ask(
    call: TurnCall,
    prompt: Prompt,
    { parts, shown }: { parts: SentParts; shown: ShownFiles },
    { provider, hasBudget }: { provider: ModelProvider; hasBudget: boolean },
  ): Promise<TurnResult> {
    const gate = { asked: false, open: false };
    const network = new WatchedFetch(
      egressFetch(this.egress, {
        timeoutMs: call.timeoutMs,
        headersTimeoutMs: call.timeoutMs,
        maxResponseBytes: MAX_ANSWER_BYTES,
        onBeforeSend: () => {
          gate.asked = true;
          return (gate.open = call.mayStart());
        },
      }),
      provider,
    );
    const redaction = new SecretRedaction(provider.secrets);
    const text = this.texts.openTurn(call);
    const messages = (): Pick<TurnResult, 'messages'> =>
      this.config.tracesMessages
        ? { messages: turnMessages(call, withResponseFormat(provider, call.model.name, prompt), redaction) }
        : {};
    const adapted = new AdaptedTurn(call, prompt, parts);
    const seen: JsonObject = shown.facts.length > 0 ? { files: [...shown.facts] } : {};
    try {
      const model = { provider, name: call.model.name, fetch: network.fetch };
      const onText = (delta: string): void => {
        if (!call.isPrivate && !network.isRefused) text.add(redaction.text(delta));
      };
      const turn = await adapted.ask((content) => askModel(model, { ...call, ...content, shown }, prompt, onText));
      if (network.isRefused) turn.finish = 'content-filter';
      turn.warnings.unshift(...adapted.warnings);
      const answer = answered(call, provider, turn, { hasBudget, facts: { ...adapted.facts, ...seen } });
      return { ...(answer.kind === 'answered' ? this.withState(call, provider, turn, answer) : answer), ...messages() };
    } catch (error) {
      if (gate.asked && !gate.open) return { kind: 'not_started' };
      const cause = turnFailure(provider.name, network.failure ?? error, this.clock.now().getTime());
      const message = withoutParts(redaction.text(cause.message), parts);
      const { facts, warnings } = adapted;
      const failure = failed(call, provider, { ...cause, message }, gate.open, {
        ...facts,
        ...seen,
        ...warned(warnings),
      });
      return { ...failure, ...(gate.open && messages()) };
    } finally {
      text.end();
    }
  }

  private withState(
    call: TurnCall,
    provider: ModelProvider,
    { parts, warnings }: StreamedTurn,
    answer: TurnResult & { kind: 'answered' },
  ): TurnResult {
    const { opaque, warning } = this.states.keep(call, provider, parts);
    if (!opaque) return answer;
    const detail = { ...answer.detail, ...warned(warning ? [...warnings, warning] : warnings) };
    return { ...answer, detail, opaque };
  }
}

function warned(warnings: readonly ParamWarning[]): JsonObject {
  return warnings.length > 0 ? { warnings: [...warnings] } : {};
}

function answered(
  call: TurnCall,
  provider: ModelProvider,
  turn: StreamedTurn,
  { hasBudget, facts }: { hasBudget: boolean; facts: JsonObject },
): TurnResult {
  const { model } = call;
  const cost = turnCost(model, provider.prices.get(model.name), turn.usage);
  const output = recordedTurn(turn);
  const detail = {
    ...identity(call),
    finish_reason: turn.finish,
    ...costDetail(cost),
    summary: turn.finish === 'content-filter' ? 'The model refused to answer.' : summaryOf(turn),
    ...(turn.effort && { effort: turn.effort }),
    ...facts,
    ...warned(turn.warnings),
    ...(turn.finish === 'length' && { warning: truncatedWarning(call) }),
  };
  if (turn.finish === 'content-filter') {
    const message = `${model.provider}/${model.name} refused to answer, or the content filter of ${provider.name} withheld the response.`;
    const body = { reason: 'refused' };
    return { kind: 'refused', code: 'provider_error', message, body, permanent: true, detail, cost };
  }
  if (isEmpty(turn)) {
    const message = emptyMessage(call, provider, turn);
    return { kind: 'refused', code: 'provider_error', message, isEmpty: true, detail, cost };
  }
  if (hasBudget && cost.partial) {
    const message = `The budget cannot be enforced: ${provider.name} did not report the number of tokens of the turn.`;
    return { kind: 'refused', code: 'budget_exceeded', message, permanent: true, detail, cost };
  }
  return { kind: 'answered', output, response: {}, detail, cost };
}

/** A rejected request costs nothing. If the request was sent and the provider did not respond, the cost is unknown. */
function failed(
  call: TurnCall,
  { prices }: ModelProvider,
  failure: TurnFailure,
  wasSent: boolean,
  facts: JsonObject,
): TurnResult {
  const { code, message, permanent = false, unanswered = false, retryAfterMs } = failure;
  const mayCost = wasSent && unanswered;
  const price = prices.get(call.model.name);
  const cost = turnCost(call.model, price, mayCost ? UNKNOWN_USAGE : { ...UNKNOWN_USAGE, input: 0, output: 0 });
  const detail = { ...identity(call), summary: message, ...facts, ...(mayCost && { cost_partial: true }) };
  const flags = { permanent, unanswered, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  return { kind: 'refused', code, message, detail, ...flags, cost: { ...cost, partial: mayCost } };
}

/** White space is no text. */
function isEmpty({ text, calls }: StreamedTurn): boolean {
  return calls.length === 0 && text.trim() === '';
}

function emptyMessage({ params }: TurnCall, { name }: ModelProvider, { finish, reasoning }: StreamedTurn): string {
  const what = reasoning ? 'only reasoning and no answer' : 'an empty answer';
  const remedy =
    finish !== 'length'
      ? ''
      : params.maxOutputTokens === undefined
        ? ' The model reached its limit of output tokens.'
        : ` The model reached the limit of ${params.maxOutputTokens} output tokens. Raise \`max_output_tokens\` in \`model.params\`.`;
  return `${name} sent ${what} (finish reason: ${finish}).${remedy}`;
}

/** Without the warning, the answer could look complete. */
function truncatedWarning({ model, params }: TurnCall): JsonObject {
  const limit = params.maxOutputTokens === undefined ? '' : `${params.maxOutputTokens} `;
  const message = `The model ${model.provider}/${model.name} stopped at its limit of ${limit}output tokens, so its answer may be cut off. Raise \`max_output_tokens\` in \`model.params\`.`;
  return { code: 'output_truncated', message };
}

function identity({ model }: TurnCall): JsonObject {
  return { provider: model.provider, model: model.name };
}

function summaryOf({ text, calls }: StreamedTurn): string {
  const called = calls.map(({ name }) => name.slice(0, 100)).join(', ');
  const summary = called ? `calls ${called}` : text.replace(/\s+/g, ' ').trim();
  return summary.slice(0, SUMMARY_CHARACTERS).replaceAll('\0', '').toWellFormed();
}

export interface AskedModel {
  readonly provider: ModelProvider;
  readonly name: string;
  readonly fetch: typeof fetch;
}

/**
 * The first turn of a process loads the provider libraries, because most processes never execute a turn.
 * @throws any error of the provider, the library or the network
 */
export async function askModel(
  { provider, name, fetch }: AskedModel,
  call: Pick<TurnCall, 'params' | 'signal' | 'cacheKey'> & Partial<TurnContent> & { shown?: ShownFiles },
  prompt: Prompt,
  onText: (text: string) => void,
): Promise<StreamedTurn> {
  const { languageModel } = await import('./language-model.js');
  const { streamTurn } = await import('./turn-stream.js');
  const sent = withResponseFormat(provider, name, prompt);
  const model = {
    model: await languageModel(provider, name, fetch, sent.answerSchema),
    hasReasoningBlocks: usesChatCompletions(provider),
  };
  const { options: cacheOptions, ...cache } = promptCache(provider, name, call, prompt.tools.length > 0);
  const request = requestParams(provider, name, call.params, call.mayThink);
  const options = mergedOptions(request.options, cacheOptions);
  return streamTurn(
    model,
    { ...request, ...cache, options, signal: call.signal },
    { ...sent, sent: call.parts, shown: call.shown },
    onText,
  );
}
