import { type ArgumentMetadata, Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { type DefinitionLimitsConfig, definitionLimitsConfig } from '@app/agents';
import type { JsonObject } from '@app/kernel';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { parseJsonObject, readJsonText } from '../http/json-body.js';
import { parseMediaType, tooLarge } from '../http/request-body.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentRequest, jsonInput } from '../http/request-decorators.js';
import { SCHEMA_NAME } from '../openapi/schema-names.js';
import { validateRequest } from '../http/request-validation.js';
import { StartDraftRunBody, StartRunBody } from './runs.api.js';

/** Number of bytes that the body may have in addition to the definition and the input. */
const ROOM = 4 * 1024;
/** Maximum number of bytes in JSON for one byte of the definition. A control character needs six: `\u0001`. */
const ESCAPED = 6;

/** Returns the advice for an unknown field. Callers often send the fields of the input at the top level of the body. */
function belowInput(name: string): string {
  const shown = JSON.stringify(name.slice(0, 64));
  return `If the field is part of the input, move it into \`input\`: {"input": {${shown}: …}}.`;
}

/**
 * Reads the body that starts a run or a draft run. The input, and the definition of a draft run, may each have their
 * configured maximum size.
 */
@Injectable()
export class StartBodyPipe implements PipeTransform<ApiRequest, Promise<StartRunBody | StartDraftRunBody | StartForm>> {
  private readonly limit: number;
  private readonly draftLimit: number;
  private readonly inputLimit: number;

  constructor(
    @Inject(definitionLimitsConfig.KEY) { definitionLimits }: DefinitionLimitsConfig,
    @Inject(runIntakeConfig.KEY) { maxInputBytes }: RunIntakeConfig,
  ) {
    this.inputLimit = maxInputBytes;
    this.limit = maxInputBytes + ROOM;
    this.draftLimit = definitionLimits.bytes * ESCAPED + maxInputBytes + this.limit;
  }

  /**
   * @throws DomainError `payload_too_large` for the body, or for the input as JSON, and the errors of
   *   {@link validateRequest}. A definition that is too large is rejected later, when it is parsed.
   */
  async transform(
    request: ApiRequest,
    { metatype }: ArgumentMetadata,
  ): Promise<StartRunBody | StartDraftRunBody | StartForm> {
    const isDraft = metatype === StartDraftRunBody;
    if (!isDraft && isForm(request)) return new StartForm(request);
    const given = parseJsonObject(await readJsonText(request, isDraft ? this.draftLimit : this.limit));
    const body = isDraft
      ? validateRequest(StartDraftRunBody, given, 'body')
      : validateRequest(StartRunBody, given, 'body', belowInput);
    if (bytesOf(body.input) > this.inputLimit) throw tooLarge(this.inputLimit, 'input');
    if (body instanceof StartDraftRunBody && bytesOf(body.mock) > this.inputLimit)
      throw tooLarge(this.inputLimit, 'mock');
    return body;
  }
}

const FORM_TYPE = 'multipart/form-data';
const isForm = ({ headers }: ApiRequest): boolean => parseMediaType(headers['content-type'])?.essence === FORM_TYPE;

/** A request whose body is a form. Its parts are read when the start receives its files. */
export class StartForm {
  constructor(readonly request: ApiRequest) {}
}

const FORM = {
  [SCHEMA_NAME]: 'StartRunForm',
  type: 'object',
  description:
    'A form with files. A file part has the name of a member of the input: `invoice`, or `attachments[]` for a list.',
  properties: {
    input: { type: 'string', description: 'The other members of the input, as JSON.', example: '{"name": "Ada"}' },
    version: { type: 'string', description: 'Version of the agent.', example: '3' },
    mode: { type: 'string', description: 'Mode of the run.', example: 'test' },
  },
  // Of any type: generated clients reject an index signature that does not fit the three texts.
  additionalProperties: { description: 'A file.' },
};

const bytesOf = (value: JsonObject): number => Buffer.byteLength(JSON.stringify(value));

export const StartBody = (): ParameterDecorator =>
  CurrentRequest(
    {
      ...jsonInput(StartRunBody, true),
      bodies: { [FORM_TYPE]: FORM },
    },
    StartBodyPipe,
  );

export const DraftBody = (): ParameterDecorator => CurrentRequest(jsonInput(StartDraftRunBody, true), StartBodyPipe);
