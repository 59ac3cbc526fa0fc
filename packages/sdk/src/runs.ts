import { type Duration, durationMillis, durationText } from './durations.js';
import { ApiError, TimeoutError } from './errors.js';
import type { ServerEvent } from './event-parser.js';
import { followEvents } from './event-stream.js';
import type { UploadProgress } from './file-input.js';
import type { RunEvent } from './generated/schema.js';
import type { Answer, Body, Item, JsonObject, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import { agentId, newKey, RawBody } from './request.js';
import { linkedSignal, within } from './timing.js';
import type { Transport } from './transport.js';

export interface StartOptions extends RequestOptions {
  /**
   * How long the call waits for the outcome of the run, at most 60 seconds. Default: the call does not wait. To wait
   * longer, use {@link Runs.wait}.
   */
  wait?: Duration;
  /** Called while a form is sent. Its files and its other parts count. */
  onProgress?: (progress: UploadProgress) => void;
}

export interface FollowRunOptions extends Pick<RequestOptions, 'signal' | 'headers'> {
  /** Number of a step. Only later steps are sent. Default: 0, so that all steps are sent. */
  afterN?: number;
}

export interface WaitOptions extends Pick<RequestOptions, 'signal' | 'headers'> {
  /** Time limit of the wait. Default: no limit. */
  timeout?: Duration;
}

/** A step number larger than any real one. A stream after this step contains only the status and the end of the run. */
const AFTER_ALL_STEPS = 999_999_999;
const PAUSE_MILLIS = 2_000;

/** Runs of agents. */
export class Runs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Starts a run of the agent with this id or name. When the call returns, the service has stored the run. A form sends
   * files with the start: the part `input`, and a file for each member of the input that is one. The time limit of such
   * a call is 24 hours by default.
   */
  async start(
    agent: string,
    body: Body<'startRun'> | FormData = {},
    { wait, onProgress, ...options }: StartOptions = {},
  ): Promise<Answer<'startRun'>> {
    const parts = { path: { id: agentId(agent) }, wait };
    if (!(body instanceof FormData))
      return this.#transport.call('POST* /v1/agents/{id}/runs', { ...parts, body }, options);
    const form = onProgress ? await rawForm(body, onProgress) : body;
    return this.#transport.call('POST* /v1/agents/{id}/runs', { ...parts, body: form }, { timeout: '24h', ...options });
  }

  /** Lists the runs of the workspace. `since` and `until` can be durations: `7d` means seven days ago. */
  list(query: Query<'listRuns'> = {}, options: ListOptions = {}): List<Item<'listRuns'>> {
    return this.#transport.list('GET /v1/runs', { query }, options);
  }

  /** Returns a run with its approvals. */
  get(id: string, query: Query<'getRun'> = {}, options: RequestOptions = {}): Promise<Answer<'getRun'>> {
    return this.#transport.call('GET /v1/runs/{id}', { path: { id }, query }, options);
  }

  /** Lists the places at which the run refers to files. */
  files(id: string, query: Query<'listRunFiles'> = {}, options: ListOptions = {}): List<Item<'listRunFiles'>> {
    return this.#transport.list('GET /v1/runs/{id}/files', { path: { id }, query }, options);
  }

  /** Returns the steps that a run has recorded so far. */
  trace(id: string, query: Query<'getRunTrace'> = {}, options: RequestOptions = {}): Promise<Answer<'getRunTrace'>> {
    return this.#transport.call('GET /v1/runs/{id}/trace', { path: { id }, query }, options);
  }

  /** Returns one step of a run with all its fields. */
  step(
    id: string,
    n: number,
    query: Query<'getRunTraceStep'> = {},
    options: RequestOptions = {},
  ): Promise<Answer<'getRunTraceStep'>> {
    return this.#transport.call('GET /v1/runs/{id}/trace/{n}', { path: { id, n }, query }, options);
  }

  /** Returns what the run sent to models, and their answers. */
  transcript(
    id: string,
    query: Query<'getRunTranscript'> = {},
    options: RequestOptions = {},
  ): Promise<Answer<'getRunTranscript'>> {
    return this.#transport.call('GET /v1/runs/{id}/transcript', { path: { id }, query }, options);
  }

  /** Returns what the conditions of the plan evaluated to, and which steps the run carried out or skipped. */
  plan(id: string, options: RequestOptions = {}): Promise<Answer<'getRunPlan'>> {
    return this.#transport.call('GET /v1/runs/{id}/plan', { path: { id } }, options);
  }

  /** Cancels a run that has not ended, and its open approvals. */
  cancel(id: string, body: Body<'cancelRun'> = {}, options: RequestOptions = {}): Promise<Answer<'cancelRun'>> {
    return this.#transport.call('POST /v1/runs/{id}/cancel', { path: { id }, body }, options);
  }

  /**
   * Sends the body to the callback that a run waits for, as another system would do. The client does not send the API
   * key.
   *
   * @param callback `callback_url` of the run, or the token at the end of this URL
   */
  callBack(callback: string, body: JsonObject, options: RequestOptions = {}): Promise<Answer<'callCallback'>> {
    const token = callback.slice(callback.lastIndexOf('/') + 1);
    return this.#transport.call('POST /v1/callbacks/{token}', { path: { token }, body, isAnonymous: true }, options);
  }

  /**
   * Starts a new run with the input of a run that has ended. The new run can use recorded results instead of new calls.
   */
  replay(id: string, body: Body<'replayRun'>, options: RequestOptions = {}): Promise<Answer<'replayRun'>> {
    return this.#transport.call('POST* /v1/runs/{id}/replay', { path: { id }, body }, options);
  }

  /**
   * Yields the events of a run until the run has ended. A step is sent when it is recorded, and again when it changes.
   * If the connection breaks, the client reopens the stream, and no step is missed. Parts of generated text (`text`)
   * may be missed.
   */
  async *follow(id: string, { afterN = 0, ...options }: FollowRunOptions = {}): AsyncGenerator<RunEvent, void, void> {
    const seen = new SeenEvents();
    for await (const event of this.#events(id, afterN, options)) {
      if (seen.isNew(event)) yield runEventOf(event);
    }
  }

  /**
   * Waits until a run has ended, and returns the run, whatever its outcome is. If the time limit passes first, the call
   * rejects with {@link TimeoutError}, and the run continues. You can then wait again or cancel the run.
   */
  async wait(id: string, { timeout = Infinity, signal, headers }: WaitOptions = {}): Promise<Answer<'getRun'>> {
    const millis = durationMillis(timeout, 'timeout');
    const timeoutError = (): Error =>
      new TimeoutError(
        `Run ${id} did not end within ${durationText(timeout)}. It continues: wait again, or cancel it.`,
      );
    return within({ millis, signal, timeoutError }, async (limit) => {
      const options = { signal: limit, headers };
      for (;;) {
        const run = await this.get(id, {}, options);
        if (run.ended_at !== null) return run;
        await this.#untilEnded(id, options);
      }
    });
  }

  async #untilEnded(id: string, options: { signal: AbortSignal; headers?: RequestOptions['headers'] }): Promise<void> {
    try {
      for await (const event of this.#events(id, AFTER_ALL_STEPS, options)) if (isEnd(event)) return;
    } catch (error) {
      // If the service rejects the stream or responds with an error (5xx), the client polls the run instead.
      if (!(error instanceof ApiError && (error.status === 429 || error.status >= 500))) throw error;
    }
    await this.#transport.timing.sleep(PAUSE_MILLIS, options.signal);
  }

  async *#events(
    id: string,
    afterN: number,
    { signal: outer, headers }: FollowRunOptions,
  ): AsyncGenerator<ServerEvent, void, void> {
    const linked = linkedSignal(outer);
    const { signal } = linked;
    const query = afterN > 0 ? { after_n: afterN } : {};
    const connect = (lastEventId: string | undefined): ReturnType<Transport['open']> =>
      this.#transport.open(
        'GET /v1/runs/{id}/events',
        { path: { id }, query, headers: { 'last-event-id': lastEventId } },
        { signal, headers },
      );
    try {
      yield* followEvents({ connect, isLast: isEnd, timing: this.#transport.timing, signal });
    } finally {
      linked.abort();
      linked.release();
    }
  }
}

async function rawForm(form: FormData, onProgress: (progress: UploadProgress) => void): Promise<RawBody> {
  const { fileSource, formBlob } = await import('./file-input.js');
  const encoded = formBlob(form, `form-${newKey()}`);
  const source = await fileSource(encoded, onProgress);
  return new RawBody(encoded.type, source.content, source);
}

function isEnd({ type }: ServerEvent): boolean {
  return type === 'end';
}

function runEventOf({ type, id, data }: ServerEvent): RunEvent {
  return { type, ...(id !== undefined && { id }), data: JSON.parse(data) as unknown } as RunEvent;
}

/**
 * Recognises events that the service sends again on a new connection: the status, and steps that were already received.
 */
class SeenEvents {
  readonly #steps = new Map<number, string>();
  #status: string | undefined;

  isNew({ type, id, data }: ServerEvent): boolean {
    if (type === 'status') {
      const isChanged = this.#status !== data;
      this.#status = data;
      return isChanged;
    }
    return type !== 'step' || this.#isChangedStep(id, data);
  }

  #isChangedStep(id: string | undefined, data: string): boolean {
    const { n } = JSON.parse(data) as { n: number };
    if (this.#steps.get(n) === data) return false;
    this.#steps.set(n, data);
    const final = Number(id);
    for (const each of this.#steps.keys()) if (each <= final) this.#steps.delete(each);
    return true;
  }
}
