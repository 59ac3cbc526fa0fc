import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { AgentAutomation } from '../../../packages/sdk/src/index.js';
import { grantSampleKnowledge, loadSampleKnowledge } from './sample-knowledge.js';
import { traceText } from './trace-text.js';

/** `text` describes the first run of the sample agent. */
export interface SampleResult {
  agent: string;
  run: string;
  text: string;
}

const FILE = join(import.meta.dirname, '..', 'sample', 'definition-reader.yaml');
const ADDRESS_IN_FILE = 'http://127.0.0.1:3000';
const INPUT = { key: 'approvals' };

/**
 * Creates the sample knowledge base and the sample agent through the API, runs the agent once and describes the run.
 * Rejects with an `Error` that has a message for the user.
 */
export async function runSample(address: string, key: string): Promise<SampleResult> {
  const client = new AgentAutomation({ baseUrl: address, apiKey: key });
  const base = await loadSampleKnowledge(client);
  const definition = (await readFile(FILE, 'utf8')).replaceAll(ADDRESS_IN_FILE, address);
  const agent = await client.agents.create(definition);
  await grantSampleKnowledge(client, base, agent.id);
  const accepted = await client.runs.start(agent.id, { input: INPUT });
  const run = await client.runs.wait(accepted.id, { timeout: '30s' });
  const { steps } = await client.runs.trace(run.id);
  const outcome = `run ${run.id} ${run.status}: ${JSON.stringify(run.output)}`;
  return { agent: agent.id, run: run.id, text: `${traceText(steps)}\n\n${outcome}` };
}

/** With this record, later starts permit the agent to call this service. */
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
