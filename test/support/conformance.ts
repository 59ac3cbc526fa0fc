import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from './repository-root.js';

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const LOADER = './test/support/conformance-loader.mjs';

interface Check {
  id: string;
  status: string;
}

/** What the official suite found: the checks that passed, and those that did not, as `scenario:check`. */
export interface ConformanceFindings {
  passed: string[];
  failed: string[];
}

/**
 * Runs server scenarios of the official conformance suite of the protocol. `selection` are arguments of the suite. The
 * suite sends no API key, so a proxy adds it.
 */
export async function runConformance(
  { baseUrl, key }: { baseUrl: string; key: string },
  path: string,
  selection: readonly string[],
): Promise<ConformanceFindings> {
  const results = await mkdtemp(join(tmpdir(), 'aas-conformance-'));
  const proxy = await authorizingProxy(baseUrl, key);
  try {
    const args = ['--import', LOADER, SUITE, 'server', '--url', proxy.url + path, '-o', results, ...selection];
    await new Promise<void>((ended) => {
      // The suite ends with 1 if a check failed. Its results say which.
      execFile(process.execPath, args, { cwd: REPOSITORY_ROOT }, () => ended());
    });
    return await findingsIn(results);
  } finally {
    proxy.close();
    await rm(results, { recursive: true });
  }
}

async function findingsIn(results: string): Promise<ConformanceFindings> {
  const findings: ConformanceFindings = { passed: [], failed: [] };
  for (const folder of await readdir(results)) {
    const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    const checks = JSON.parse(await readFile(join(results, folder, 'checks.json'), 'utf8')) as Check[];
    for (const { id, status } of checks) {
      if (status === 'SUCCESS') findings.passed.push(`${scenario}:${id}`);
      if (status === 'FAILURE') findings.failed.push(`${scenario}:${id}`);
    }
  }
  return findings;
}

async function authorizingProxy(baseUrl: string, key: string): Promise<{ url: string; close(): void }> {
  const { hostname, port } = new URL(baseUrl);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers: given } = incoming;
    const headers = { ...given, authorization: `Bearer ${key}` };
    const onward = request({ hostname, port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}`, close: () => void server.close() };
}
