import { Client } from 'pg';

import type { Role } from '@app/workspace';

export interface ApiAnswer {
  status: number;
  headers: Headers;
  /** Body of the response, parsed if it is JSON. Otherwise the body as text. */
  body: ReturnType<typeof JSON.parse>;
}

export interface CallOptions {
  /** API key of the request. If it is undefined, the request is sent without a key. */
  key?: string;
  /** Body of the request. An object is sent as JSON, and a string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
  /** `manual` returns a redirect response instead of following the redirect. */
  redirect?: 'manual';
}

export interface TestTenant {
  workspaceId: string;
  adminKey: string;
  key(role: Role, kind?: 'live' | 'test'): Promise<string>;
}

export interface HttpApi {
  databaseUrl: string;
  url: string;
  port: number;
  newTenant(): Promise<TestTenant>;
  execute(sql: string): Promise<void>;
  call(method: string, path: string, options?: CallOptions): Promise<ApiAnswer>;
  /** Stops what only this test file uses. */
  close(): Promise<void>;
}

export async function execute(databaseUrl: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export async function call(
  url: string,
  method: string,
  { key, body, headers = {}, redirect }: CallOptions = {},
): Promise<ApiAnswer> {
  const isJson = body !== undefined && typeof body !== 'string';
  const response = await fetch(url, {
    method,
    ...(redirect && { redirect }),
    headers: {
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(isJson && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: isJson ? JSON.stringify(body) : body,
  });
  const text = await response.text();
  const json = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
}
