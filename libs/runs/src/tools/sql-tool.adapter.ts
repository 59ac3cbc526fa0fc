import { hasMysqlInto, type SqlCall, type SqlTool } from '@app/definition';
import { invariant, isJsonObject, type JsonObject } from '@app/kernel';
import { EgressClient, EgressError } from '@app/platform/egress';
import { callSql, type SqlAnswer, SqlCallError, type SqlOrder } from '@app/platform/sql-clients';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { recordable } from '../calls/recorded-value.js';
import { SecretRedaction } from '@app/platform/observability';
import { type PreparedCall, refused, type ToolCallResult } from '../calls/tool-call.js';
import { type RecordedAnswersConfig, recordedAnswersConfig } from './recorded-answers.config.js';
import type { ToolAdapter } from './tool-adapter.js';

const FRAME = 100;
/**
 * Matches the SQLSTATE codes of errors after which the same statement may succeed: connection errors, missing
 * resources, transaction conflicts, and locks.
 */
const TRANSIENT = /^(08|40|53|55P03|57P0[123])/;

/** Only tests provide them, because tests execute TypeScript sources. */
export const SQL_PROGRAM = Symbol('SQL_PROGRAM');
type Program = NonNullable<Parameters<typeof callSql>[3]['program']>;

@Injectable()
export class SqlToolAdapter implements ToolAdapter<SqlTool> {
  constructor(
    private readonly egress: EgressClient,
    @Inject(recordedAnswersConfig.KEY) private readonly config: RecordedAnswersConfig,
    @Optional() @Inject(SQL_PROGRAM) private readonly program?: Program,
  ) {}

  async call(tool: SqlTool, call: PreparedCall): Promise<ToolCallResult> {
    const { operation, signal, mayStart } = call;
    const { sql } = operation;
    invariant(sql, 'an operation of a SQL tool has a statement');
    // The validation rejects such a statement too, but earlier releases did not.
    if (tool.kind === 'mysql' && operation.scope === 'read' && hasMysqlInto(sql.text))
      return refused(`${operation.fullName} is a read operation, and its statement contains \`into\`.`);
    const dsn = dsnOf(tool, call);
    // The dispatcher redacts every secret as a whole, here the connection string (DSN). The password is redacted
    // separately, because a database error can contain the password without the rest of the DSN.
    const redaction = new SecretRedaction([passwordOf(dsn)]);
    try {
      const order = orderOf(sql, call, this.config.maxRecordedBytes - FRAME);
      const settings = { guard: this.egress.guard, signal, mayStart, ...(this.program && { program: this.program }) };
      const answer = await callSql(tool.kind, dsn, order, settings);
      return answer ? this.answered(answer, call, redaction) : { kind: 'not_started' };
    } catch (error) {
      if (error instanceof EgressError) return blocked(call, error);
      if (error instanceof SqlCallError) return failed(call, error, redaction);
      throw error;
    }
  }

  private answered(
    { rows, rowCount, truncated }: SqlAnswer,
    { redaction }: PreparedCall,
    own: SecretRedaction,
  ): ToolCallResult {
    const shown = own.object({ rows, row_count: rowCount, truncated });
    const output = recordable(shown, redaction, this.config.maxRecordedBytes);
    const summary = `${rowCount} ${rowCount === 1 ? 'row' : 'rows'}${truncated ? ', truncated' : ''}`;
    return { kind: 'answered', output, response: { body: output }, detail: { response_summary: summary } };
  }
}

function dsnOf({ dsnSecret }: SqlTool, { context }: PreparedCall): string {
  const { secrets } = context;
  const dsn = isJsonObject(secrets) ? secrets[dsnSecret] : undefined;
  invariant(typeof dsn === 'string', 'the dispatcher has read the secrets of the tool');
  return dsn;
}

function passwordOf(dsn: string): string {
  if (!URL.canParse(dsn)) return '';
  const { password } = new URL(dsn);
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

function orderOf(sql: SqlCall, { operation, request, timeoutMs }: PreparedCall, maxCharacters: number): SqlOrder {
  const { text, params, parameters, maxRows } = sql;
  const values = params.map((name) => request[name] ?? null);
  return { text, values, parameters, isRead: operation.scope === 'read', maxRows, maxCharacters, timeoutMs };
}

function blocked({ operation }: PreparedCall, error: EgressError): ToolCallResult {
  const message = `${operation.fullName}: ${error.message}`;
  const permanent = error.reason === 'blocked' || error.reason === 'invalid_url';
  return { kind: 'refused', code: 'tool_error', message, ...failureOf(message), permanent, unanswered: true };
}

/**
 * The outcome of a write is unknown if the write was sent and the database did not report that it rejected the write.
 */
function failed({ operation }: PreparedCall, error: SqlCallError, redaction: SecretRedaction): ToolCallResult {
  const { reason, sqlstate, constraint } = error;
  const message = `${operation.fullName}: ${redaction.text(error.message)}`;
  const code = reason === 'timeout' ? 'timeout' : 'tool_error';
  const failure = { code, message, ...failureOf(message, sqlstate, constraint) } as const;
  switch (reason) {
    case 'refused':
      return { kind: 'refused', ...failure, permanent: true };
    case 'unreachable':
      return { kind: 'refused', ...failure, unanswered: true };
    case 'statement':
      return { kind: 'refused', ...failure, permanent: !TRANSIENT.test(sqlstate) };
    case 'timeout':
    case 'lost': {
      const isKnown = operation.effect === 'read' || error.wasNotSent || (reason === 'timeout' && sqlstate !== '');
      if (!isKnown) return { kind: 'unknown', ...failure };
      return { kind: 'refused', ...failure, unanswered: reason === 'lost' || sqlstate === '' };
    }
  }
}

function failureOf(message: string, sqlstate = '', constraint = ''): { detail: JsonObject; body: JsonObject } {
  return {
    detail: { response_summary: message },
    body: { sqlstate: sqlstate === '' ? null : sqlstate, constraint: constraint === '' ? null : constraint },
  };
}
