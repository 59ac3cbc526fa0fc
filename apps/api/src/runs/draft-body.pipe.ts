import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { type DefinitionLimitsConfig, definitionLimitsConfig } from '@app/agents';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { parseJsonObject, readJsonText } from '../http/json-body.js';
import { tooLarge } from '../http/request-body.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentRequest, jsonInput } from '../http/request-decorators.js';
import { validateRequest } from '../http/request-validation.js';
import { StartDraftRunBody } from './draft-runs.api.js';

/** Number of bytes that the body may have in addition to the definition and the input. */
const ROOM = 4 * 1024;
/** Maximum number of bytes in JSON for one byte of the definition. A control character needs six: `\u0001`. */
const ESCAPED = 6;

/** Reads the body that starts a draft run. The definition and the input may each have their configured maximum size. */
@Injectable()
export class DraftBodyPipe implements PipeTransform<ApiRequest, Promise<StartDraftRunBody>> {
  private readonly limit: number;
  private readonly inputLimit: number;

  constructor(
    @Inject(definitionLimitsConfig.KEY) { definitionLimits }: DefinitionLimitsConfig,
    @Inject(runIntakeConfig.KEY) { maxInputBytes }: RunIntakeConfig,
  ) {
    this.inputLimit = maxInputBytes;
    this.limit = definitionLimits.bytes * ESCAPED + maxInputBytes + ROOM;
  }

  /**
   * @throws DomainError `payload_too_large` for the body, or for the input as JSON, and the errors of
   *   {@link validateRequest}. A definition that is too large is rejected later, when it is parsed.
   */
  async transform(request: ApiRequest): Promise<StartDraftRunBody> {
    const given = parseJsonObject(await readJsonText(request, this.limit));
    const body = validateRequest(StartDraftRunBody, given, 'body');
    if (Buffer.byteLength(JSON.stringify(body.input)) > this.inputLimit) throw tooLarge(this.inputLimit, 'input');
    return body;
  }
}

export const DraftBody = (): ParameterDecorator => CurrentRequest(jsonInput(StartDraftRunBody, true), DraftBodyPipe);
