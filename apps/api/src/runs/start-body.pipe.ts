import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { parseJsonObject, readJsonText } from '../http/json-body.js';
import { tooLarge } from '../http/request-body.js';
import type { ApiRequest } from '../http/request-context.js';
import { CurrentRequest, jsonInput } from '../http/request-decorators.js';
import { validateRequest } from '../http/request-validation.js';
import { StartRunBody } from './runs.api.js';

/** Number of bytes that the body may have in addition to the input. */
const ROOM = 4 * 1024;

/** Returns the advice for an unknown field. Callers often send the fields of the input at the top level of the body. */
function belowInput(name: string): string {
  const shown = JSON.stringify(name.slice(0, 64));
  return `If the field is part of the input, move it into \`input\`: {"input": {${shown}: …}}.`;
}

/** Reads the body that starts a run. The input may have the configured maximum size. */
@Injectable()
export class StartBodyPipe implements PipeTransform<ApiRequest, Promise<StartRunBody>> {
  constructor(@Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig) {}

  /**
   * @throws DomainError `payload_too_large` for the body, or for the input as JSON, and the errors of
   *   {@link validateRequest}
   */
  async transform(request: ApiRequest): Promise<StartRunBody> {
    const { maxInputBytes: limit } = this.config;
    const given = parseJsonObject(await readJsonText(request, limit + ROOM));
    const body = validateRequest(StartRunBody, given, 'body', belowInput);
    if (Buffer.byteLength(JSON.stringify(body.input)) > limit) throw tooLarge(limit, 'input');
    return body;
  }
}

export const StartBody = (): ParameterDecorator => CurrentRequest(jsonInput(StartRunBody, true), StartBodyPipe);
