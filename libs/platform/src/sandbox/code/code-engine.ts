import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import type { CodeRequest, CodeResult } from './code-pool.js';
import { executeInRealm } from './code-realm.js';

interface WasmMemory {
  readonly buffer: ArrayBuffer;
}
interface WasmApi {
  compile: (bytes: Uint8Array) => Promise<object>;
  Memory: new (pages: { initial: number; maximum: number }) => WasmMemory;
}
const wasm = Reflect.get(globalThis, 'WebAssembly') as WasmApi;

const MIB = 1024 * 1024;
const PAGE_BYTES = 65_536;
const INITIAL_BYTES = 16 * MIB;
/** Memory in bytes that QuickJS itself needs, in addition to the memory limit of the code. */
const OWN_BYTES = 8 * MIB;
/** The spare instance is created with this limit. */
const USUAL_BYTES = 64 * MIB;
/**
 * An instance whose memory has grown beyond this number of bytes is not used again, because WebAssembly memory never
 * shrinks.
 */
const MAX_KEPT_BYTES = 32 * MIB;

/**
 * Successive executions of one owner with the same memory limit share an instance of QuickJS. The instance is discarded
 * if an execution fails or if its memory has grown too large. Executions of different owners never share memory. The
 * maximum size of the WebAssembly memory enforces the memory limit, because QuickJS's own limit counts only a part of
 * its allocations.
 */
export class CodeEngine {
  private current: { owner: string; memoryBytes: number; instance: QuickJSWASMModule } | undefined;
  private spare: Promise<QuickJSWASMModule> | undefined;

  private constructor(private readonly create: (memoryBytes: number) => Promise<QuickJSWASMModule>) {}

  static async start(): Promise<CodeEngine> {
    const path = fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
    const wasmModule = await wasm.compile(await readFile(path));
    // The type declaration of this package is wrong for ES modules, so the default export is cast to its actual type.
    const loaded: { default: unknown } = await import('@jitl/quickjs-wasmfile-release-sync');
    const variant = loaded.default as QuickJSSyncVariant;
    const engine = new CodeEngine((memoryBytes) => {
      const bytes = Math.max(INITIAL_BYTES, OWN_BYTES + memoryBytes);
      const pages = { initial: INITIAL_BYTES / PAGE_BYTES, maximum: Math.ceil(bytes / PAGE_BYTES) };
      const wasmMemory = new wasm.Memory(pages);
      return newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule, wasmMemory }));
    });
    await engine.prepare();
    return engine;
  }

  async execute(request: CodeRequest): Promise<CodeResult> {
    const { owner, memoryBytes } = request;
    const instance = await this.instanceOf(owner, memoryBytes);
    // The instance is used again only if this execution succeeds.
    this.current = undefined;
    try {
      // If the memory limit of the code is lower, the difference is reserved, so that the code cannot use it.
      const reservedBytes = Math.max(0, INITIAL_BYTES - OWN_BYTES - memoryBytes);
      const memory = instance.getWasmMemory() as WasmMemory;
      const size = (): number => memory.buffer.byteLength;
      const isExhausted = (): boolean => size() >= OWN_BYTES + memoryBytes / 3;
      const result = executeInRealm(instance, request, { reservedBytes, isExhausted });
      const isKept = result.kind === 'value' && size() <= MAX_KEPT_BYTES;
      if (isKept) this.current = { owner, memoryBytes, instance };
      return result;
    } catch (error) {
      return brokenInstance(error);
    }
  }

  async prepare(): Promise<void> {
    this.spare ??= this.create(USUAL_BYTES);
    await this.spare;
  }

  private instanceOf(owner: string, memoryBytes: number): Promise<QuickJSWASMModule> | QuickJSWASMModule {
    const { current } = this;
    if (current?.owner === owner && current.memoryBytes === memoryBytes) return current.instance;
    if (memoryBytes !== USUAL_BYTES) return this.create(memoryBytes);
    const instance = this.spare ?? this.create(USUAL_BYTES);
    this.spare = undefined;
    return instance;
  }
}

function brokenInstance(error: unknown): CodeResult {
  if (error instanceof RangeError)
    return { kind: 'error', message: 'RangeError: the code recursed too deeply', line: null, millis: 0 };
  return { kind: 'limit', limit: 'memory', millis: 0 };
}
