import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { KnownQueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import {
  authorizationAnswer,
  CallbackQuery,
  presentAuthorized,
  presentRefused,
  returnPath,
  sendToProvider,
  StateQuery,
} from './oauth.api.js';
import { OauthFlowsService } from './oauth-flows.service.js';

/** Browsers open these routes to authorise sources and connections. The state, and not a key, authenticates them. */
@Tag('Knowledge')
@Controller('v1/oauth')
export class OauthController {
  constructor(private readonly flows: OauthFlowsService) {}

  @Get('authorize')
  @Public()
  @Operation('Begin an authorisation', {
    description: 'Redirects the browser that opened an `authorize_url` to the page of the provider.',
    302: {
      description: 'A redirect to the page of the provider.',
      headers: { Location: 'Page of the provider.', 'Set-Cookie': 'Cookie with the state, which the callback checks.' },
    },
    303: {
      description: 'If the authorisation cannot begin, a redirect to `return_to` with `error` in the query.',
      headers: { Location: 'Path below `/console/`.' },
    },
  })
  async beginAuthorization(
    @KnownQueryParameters() query: StateQuery,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    const begun = this.flows.begin(query.state);
    await begun.then(
      (url) => sendToProvider(request, response, query, url),
      (error: unknown) => presentRefused(response, query.return_to, error),
    );
  }

  @Get('callback')
  @Public()
  @Operation('Finish an authorisation', {
    description:
      'The provider redirects the browser to this operation. It adds the source, or authorises an existing ' +
      'source or connection. A state can be used once, and only in the browser that began the authorisation.',
    200: {
      description: 'Without `return_to`, a page that confirms the connection.',
      content: {
        'text/html': { schema: { type: 'string' }, example: '<!doctype html><title>Notion is connected</title>' },
      },
    },
    303: {
      description:
        'If the authorisation began with `return_to`, a redirect to it with `connected` or `error` in the query.',
      headers: { Location: 'Path below `/console/`.' },
    },
    problems: ['not_found'],
  })
  async finishAuthorization(
    @KnownQueryParameters() query: CallbackQuery,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string | undefined> {
    const path = returnPath(request, query);
    const finished = this.flows.finish(authorizationAnswer(request, query));
    return finished.then(
      (authorized) => presentAuthorized(response, path, authorized),
      (error: unknown) => presentRefused(response, path, error),
    );
  }
}
