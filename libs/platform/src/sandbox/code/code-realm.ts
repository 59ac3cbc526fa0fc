import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  Scope,
} from 'quickjs-emscripten-core';
import type { CodeRequest, CodeResult } from './code-pool.js';
import { REALM_SETUP } from './realm-setup.js';

/** The stack of the thread is larger, so deep recursion throws an error in the code. */
const STACK_BYTES = 512 * 1024;
const FILE = 'source';
/** Number of promise jobs between two checks of the time limit. */
const JOBS_PER_LOOK = 100;
/** Additional memory in bytes for describing an error, because the code may have used up its memory limit. */
const EXTRA_BYTES = 4 * 1024 * 1024;
/** Time limit in milliseconds for describing an error, in addition to the time limit of the code. */
const EXTRA_MILLIS = 250;

/**
 * Errors that QuickJS throws if its memory is exhausted. `string too long` is one of them, because such a text needs
 * more memory than any limit allows.
 */
const MEMORY_ERRORS: ReadonlySet<string> = new Set(['InternalError: out of memory', 'InternalError: string too long']);

export interface RealmMemory {
  /** Bytes that are allocated before the code runs, so that the code cannot use them. */
  reservedBytes: number;
  isExhausted: () => boolean;
}

type Outcome =
  | { kind: 'value'; json: string }
  | { kind: 'error'; message: string; line: number | null }
  | { kind: 'limit'; limit: 'memory' | 'time' | 'result' };

interface Setup {
  run: QuickJSHandle;
  describe: QuickJSHandle;
}

export function executeInRealm(engine: QuickJSWASMModule, request: CodeRequest, memory: RealmMemory): CodeResult {
  const runtime = engine.newRuntime();
  try {
    return new CodeRealm(runtime, runtime.newContext(), request, memory).execute();
  } finally {
    runtime.dispose();
  }
}

class CodeRealm {
  private readonly startedAt = performance.now();
  private deadline: number;
  private isLate = false;

  constructor(
    private readonly runtime: QuickJSRuntime,
    private readonly context: QuickJSContext,
    private readonly request: CodeRequest,
    private readonly memory: RealmMemory,
  ) {
    this.deadline = this.startedAt + request.millis;
    runtime.setMaxStackSize(STACK_BYTES);
  }

  execute(): CodeResult {
    try {
      const outcome = Scope.withScope((scope) => this.outcome(scope));
      return { ...outcome, millis: Math.round(performance.now() - this.startedAt) };
    } finally {
      this.context.dispose();
    }
  }

  private outcome(scope: Scope): Outcome {
    const setup = this.setUp(scope);
    const { reservedBytes } = this.memory;
    if (reservedBytes > 0) scope.manage(this.context.newArrayBuffer(new ArrayBuffer(reservedBytes)));
    this.runtime.setMemoryLimit(this.request.memoryBytes);
    this.runtime.setInterruptHandler(() => {
      if (performance.now() > this.deadline) this.isLate = true;
      return this.isLate;
    });
    const module = this.settled(scope, this.context.evalCode(this.request.source, FILE, { type: 'module' }));
    if ('thrown' in module) return this.failure(scope, setup, module.thrown);
    const execute = module.value && scope.manage(this.context.getProp(module.value, 'default'));
    if (!execute) return this.pending();
    if (this.context.typeof(execute) !== 'function')
      return { kind: 'error', message: 'the default export is not a function', line: null };
    const input = scope.manage(this.context.newString(this.request.input));
    const result = this.settled(scope, this.context.callFunction(setup.run, this.context.undefined, execute, input));
    if ('thrown' in result) return this.failure(scope, setup, result.thrown);
    return result.value ? this.json(scope, result.value) : this.pending();
  }

  private setUp(scope: Scope): Setup {
    const setup = scope.manage(this.context.unwrapResult(this.context.evalCode(REALM_SETUP, 'setup')));
    return {
      run: scope.manage(this.context.getProp(setup, 'run')),
      describe: scope.manage(this.context.getProp(setup, 'describe')),
    };
  }

  /** `value` is undefined if the result is a promise that is still pending. */
  private settled(
    scope: Scope,
    result: ReturnType<QuickJSContext['evalCode']>,
  ): { value: QuickJSHandle | undefined } | { thrown: QuickJSHandle } {
    if (result.error) return { thrown: scope.manage(result.error) };
    const value = scope.manage(result.value);
    while (this.runtime.hasPendingJob() && !this.isLate) {
      const jobs = this.runtime.executePendingJobs(JOBS_PER_LOOK);
      if (jobs.error) return { thrown: scope.manage(jobs.error) };
      if (performance.now() > this.deadline) this.isLate = true;
    }
    const state = this.context.getPromiseState(value);
    if (state.type === 'pending') return { value: undefined };
    if (state.type === 'rejected') return { thrown: scope.manage(state.error) };
    return { value: state.notAPromise ? value : scope.manage(state.value) };
  }

  private json(scope: Scope, value: QuickJSHandle): Outcome {
    const { maxResultBytes } = this.request;
    // A character takes at least one byte. A text with more characters than `maxResultBytes` is therefore rejected
    // before it is copied out of the realm.
    const length = this.context.getNumber(scope.manage(this.context.getProp(value, 'length')));
    if (length > maxResultBytes) return { kind: 'limit', limit: 'result' };
    const json = this.context.getString(value);
    return Buffer.byteLength(json) > maxResultBytes ? { kind: 'limit', limit: 'result' } : { kind: 'value', json };
  }

  private pending(): Outcome {
    if (this.isLate) return { kind: 'limit', limit: 'time' };
    return { kind: 'error', message: 'the promise of the function never settles', line: null };
  }

  private failure(scope: Scope, setup: Setup, thrown: QuickJSHandle): Outcome {
    if (this.isLate) return { kind: 'limit', limit: 'time' };
    this.runtime.setMemoryLimit(this.request.memoryBytes + EXTRA_BYTES);
    this.deadline = performance.now() + EXTRA_MILLIS;
    const described = this.context.callFunction(setup.describe, this.context.undefined, thrown);
    if (described.error) {
      described.error.dispose();
      return { kind: 'error', message: 'the code threw a value that cannot be read', line: null };
    }
    const [text = '', stack = ''] = JSON.parse(this.context.getString(scope.manage(described.value))) as string[];
    // QuickJS throws null if it has no memory left to create an error.
    if (MEMORY_ERRORS.has(text) || (text === 'null' && this.memory.isExhausted()))
      return { kind: 'limit', limit: 'memory' };
    const message = text.endsWith(': stack overflow') ? 'RangeError: the code recursed too deeply' : text;
    return { kind: 'error', message, line: lineOf(stack) };
  }
}

function lineOf(stack: string): number | null {
  const [, line] = /\bsource:(\d+)/.exec(stack) ?? [];
  return line === undefined ? null : Number(line);
}
