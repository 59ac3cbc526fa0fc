import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Pool } from 'pg';

import type { Bench } from './bench.js';
import { statementReport } from './statement-report.js';

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
  children?: number[];
}

interface Profile {
  /** Start of the profile, in microseconds of the monotonic clock of `process.hrtime`. */
  startTime: number;
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}

const LISTED = 15;

/**
 * Returns the arguments with which Node writes the CPU profile of a program to `folder`. The name of the file ends in
 * `-${suffix}.cpuprofile`. Without a folder, there are no arguments.
 */
export function profileArguments(folder: string | undefined, suffix: string): (program: string) => string[] {
  if (folder === undefined) return () => [];
  return (program) => ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${program}-${suffix}.cpuprofile`];
}

/**
 * Adds the reports about the programs whose profiles have this suffix (see {@link profileArguments}), and about the
 * statements of their database. Call it when the programs have ended, because Node then writes the profiles. `since` is
 * a time of `process.hrtime.bigint`, at which the measured work began. Does nothing if the benchmark has no profiles.
 */
export async function addProfiles(
  { options, profiles }: Pick<Bench, 'options' | 'profiles'>,
  suffix: string,
  database: Pool,
  since: bigint,
): Promise<void> {
  if (options.profile === undefined) return;
  profiles.push(await profileReport(options.profile, suffix, since / 1000n), await statementReport(database));
}

/** Names of frames that are not counted as work: idle time, and V8's name for code without a frame. */
const NOT_WORK = new Set(['(idle)', '(root)']);

/**
 * Reports where processes spent their CPU time, by package and by function. Reads the CPU profiles in `folder` whose
 * names end in `-${suffix}.cpuprofile`, from the time `sinceMicros` (in microseconds of the monotonic clock) on. Idle
 * time does not count. Lists the functions with the most self time.
 *
 * V8 samples by wall clock, so a process that waits for a core counts as busy. The profile assigns most of this waiting
 * time to the system call that woke another process.
 */
async function profileReport(folder: string, suffix: string, sinceMicros: bigint): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(`-${suffix}.cpuprofile`)).sort();
  const parts = names.map(async (name) => {
    const profile = JSON.parse(await readFile(join(folder, name), 'utf8')) as Profile;
    return describe(name, profile, Number(sinceMicros));
  });
  return (await Promise.all(parts)).join('\n\n');
}

function describe(title: string, { nodes, samples, timeDeltas, startTime }: Profile, since: number): string {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const packages = new Map<string, number>();
  const functions = new Map<string, number>();
  let total = 0;
  let now = startTime;
  samples.forEach((id, index) => {
    const frame = byId.get(id)?.callFrame;
    const micros = timeDeltas[index] ?? 0;
    now += micros;
    if (!frame || now < since || NOT_WORK.has(frame.functionName)) return;
    total += micros;
    add(packages, packageOf(frame.url, frame.functionName), micros);
    add(functions, `${frame.functionName || '(anonymous)'}  ${placeOf(frame.url)}:${frame.lineNumber + 1}`, micros);
  });
  const list = (map: Map<string, number>): string =>
    [...map]
      .sort(([, a], [, b]) => b - a)
      .slice(0, LISTED)
      .map(([name, micros]) => `  ${((100 * micros) / total).toFixed(1).padStart(5)} %  ${name}`)
      .join('\n');
  return `${title}: ${(total / 1e6).toFixed(2)} s busy\n by package\n${list(packages)}\n by function\n${list(functions)}`;
}

function add(map: Map<string, number>, key: string, value: number): void {
  map.set(key, (map.get(key) ?? 0) + value);
}

function packageOf(url: string, functionName: string): string {
  if (url === '') return functionName.startsWith('(') ? functionName : '(native)';
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/');
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return inPackage ?? /\/dist\/((?:libs|apps)\/[^/]+)/.exec(url)?.[1] ?? url;
}

function placeOf(url: string): string {
  return url.replace(/^file:\/\/.*?\/(node_modules|dist)\//, '');
}
