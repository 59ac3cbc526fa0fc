import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { grantSampleKnowledge, loadSampleKnowledge } from './sample-knowledge.js';
import { ServiceClient } from './service-client.js';
import { type TraceStep, traceText } from './trace-text.js';

interface RunAnswer {
  id: string;
  status: string;
  output: unknown;
  ended_at: string | null;
}

/** Result of the first sample run: the id of the agent, and the text to show. */
export interface SampleResult {
  agent: string;
  run: string;
  text: string;
}

const FILE = join(import.meta.dirname, '..', 'sample', 'definition-reader.yaml');
/** Placeholder in the sample file. It is replaced by the address of the service. */
const ADDRESS_IN_FILE = 'http://127.0.0.1:3000';
const INPUT = { key: 'approvals' };
const ENDED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 30;

/**
 * Loads the sample knowledge base and agent through the API, runs the agent once and describes the run. Rejects with an
 * `Error` with a message for the user.
 */
export async function runSample(address: string, key: string): Promise<SampleResult> {
  const client = new ServiceClient(address, key);
  const base = await loadSampleKnowledge(client);
  const definition = (await readFile(FILE, 'utf8')).replaceAll(ADDRESS_IN_FILE, address);
  const agent = await client.post<{ id: string }>('/v1/agents', 'application/yaml', definition);
  await grantSampleKnowledge(client, base, agent.id);
  const accepted = await client.send<RunAnswer>('POST', `/v1/agents/${agent.id}/runs`, { input: INPUT });
  const run = await ended(client, accepted.id);
  const { steps } = await client.get<{ steps: TraceStep[] }>(`/v1/runs/${run.id}/trace`);
  const outcome = `run ${run.id} ${run.status}: ${JSON.stringify(run.output)}`;
  return { agent: agent.id, run: run.id, text: `${traceText(steps)}\n\n${outcome}` };
}

async function ended(client: ServiceClient, id: string): Promise<RunAnswer> {
  const deadline = Date.now() + ENDED_WITHIN_MS;
  for (;;) {
    const run = await client.get<RunAnswer>(`/v1/runs/${id}`);
    if (run.ended_at !== null) return run;
    if (Date.now() > deadline) throw new Error(`run ${id} is still ${run.status} after ${ENDED_WITHIN_MS / 1000} s`);
    await pause(LOOK_EVERY_MS);
  }
}

/** Records the sample in the data directory, so that later starts permit the agent to call this service. */
export async function recordSample(dataDir: string, agent: string): Promise<void> {
  await writeFile(noteOf(dataDir), `${JSON.stringify({ agent })}\n`, { mode: 0o600 });
}

export async function recordedSample(dataDir: string): Promise<string | undefined> {
  const note = await readFile(noteOf(dataDir), 'utf8').catch(() => undefined);
  return note === undefined ? undefined : (JSON.parse(note) as { agent: string }).agent;
}

function noteOf(dataDir: string): string {
  return join(dataDir, 'sample.json');
}
