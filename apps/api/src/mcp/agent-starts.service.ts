import { Inject, Injectable } from '@nestjs/common';
import { ExpressionError, type McpExposure } from '@app/definition';
import {
  DomainError,
  type ErrorPlace,
  findInexactInteger,
  findUnsafeJson,
  isJsonObject,
  type JsonObject,
  jsonPointer,
  type JsonValue,
} from '@app/kernel';
import { type RunIntakeConfig, runIntakeConfig, RunIntakeService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { idempotencyClaim } from '../http/idempotency-key.js';
import type { ExposedTool } from './exposed-tools.service.js';
import type { McpExchange } from './mcp-address.js';
import type { McpClient } from './mcp-client.js';

const ENDPOINT = 'POST /v1/mcp';
const AT_ARGUMENTS = /^(?:\/\d+)?\/params\/arguments/;

/** Starts runs of agents that are called as tools. */
@Injectable()
export class AgentStartsService {
  constructor(
    private readonly intake: RunIntakeService,
    @Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig,
  ) {}

  /**
   * Starts a run and returns its id. A repeated call with the same idempotency key returns the same run.
   * @throws DomainError `input_invalid` with pointers into the arguments, and the errors of
   *   {@link RunIntakeService.startRun}
   */
  async start(
    { principal, idempotencyKey, text }: McpExchange,
    client: McpClient,
    { agentId, version, exposure }: ExposedTool,
    given: JsonValue,
  ): Promise<string> {
    const sent = this.checked(given, text, exposure);
    const { tool } = exposure;
    const claim = idempotencyClaim(ENDPOINT, idempotencyKey, { tool, arguments: sent });
    const { email, kind: keyKind, workspaceId } = principal;
    const started = this.intake.startRun({
      workspaceId,
      agentId,
      // The members that are fixed and the arguments belong to this version.
      version,
      initiator: { email, keyKind },
      caller: principal,
      input: { ...sent, ...fixedMembers(exposure, principal, client) },
      trigger: { type: 'mcp', client: client.name, tool },
      ...(client.name !== null && { labels: { mcp_client: client.name } }),
      ...(claim && { idempotency: claim }),
    });
    return (await started.catch(aboutArguments)).run.id;
  }

  private checked(given: JsonValue, text: string, { given: names, fixed }: McpExposure): JsonObject {
    if (!isJsonObject(given)) throw refused([{ pointer: '', detail: 'The arguments must be an object.' }]);
    const unsafe = findUnsafeJson(given);
    if (unsafe) throw refused([unsafe]);
    const inexact = findInexactInteger(text);
    if (inexact && AT_ARGUMENTS.test(inexact.pointer))
      throw refused([{ ...inexact, pointer: inexact.pointer.replace(AT_ARGUMENTS, '') }]);
    const { maxInputBytes } = this.config;
    if (Buffer.byteLength(JSON.stringify(given)) > maxInputBytes)
      throw refused([{ pointer: '', detail: `The arguments are larger than ${maxInputBytes} bytes.` }]);
    const misplaced = Object.keys(given).filter((name) => fixed.has(name) || (names && !names.includes(name)));
    if (misplaced.length === 0) return given;
    throw refused(
      misplaced.map((name) => ({
        pointer: jsonPointer([name]),
        detail: 'The tool has no such argument. Leave it out.',
      })),
    );
  }
}

/** Computes the members that the caller may not give. @throws DomainError `input_invalid` */
function fixedMembers({ fixed }: McpExposure, { email: member }: Principal, { name: client }: McpClient): JsonObject {
  const values: JsonObject = {};
  for (const [name, template] of fixed) {
    try {
      values[name] = template.evaluate({ caller: { member, client } });
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      throw refused([
        {
          pointer: jsonPointer([name]),
          detail: `The value that the service sets cannot be computed: ${error.message}`,
        },
      ]);
    }
  }
  return values;
}

function refused(errors: readonly ErrorPlace[]): DomainError {
  return new DomainError('input_invalid', `The arguments are not valid: ${errors[0]!.detail}`, { errors });
}

/** The pointers of the API begin with `/input`. */
function aboutArguments(error: unknown): never {
  if (!(error instanceof DomainError) || error.code !== 'input_invalid') throw error;
  const errors = error.errors.map((place) => ({ ...place, pointer: place.pointer.replace(/^\/input/, '') }));
  throw new DomainError('input_invalid', error.message, { errors });
}
