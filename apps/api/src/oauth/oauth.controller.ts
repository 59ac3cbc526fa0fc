import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../http/access.decorators.js';
import type { ApiRequest } from '../http/request-context.js';
import { FormBody, KnownQueryParameters } from '../http/request-decorators.js';
import { Operation, Tag } from '../openapi/operation.js';
import { AuthorizationForm, CallbackQuery, StateQuery } from './oauth.api.js';
import { OauthPagesService } from './oauth-pages.service.js';

const PAGE = (example: string) => ({
  'text/html': { schema: { type: 'string' }, example: `<!doctype html><title>${example}</title>` },
});

/** Browsers open these routes to authorise sources and connections. The state, and not a key, authenticates them. */
@Tag('Knowledge')
@Controller('v1/oauth')
export class OauthController {
  constructor(private readonly pages: OauthPagesService) {}

  @Get('authorize')
  @Public()
  @Operation('Open an authorisation', {
    description: 'Shows a page that asks the person whether to continue to the provider.',
    200: { description: 'The page.', content: PAGE('Give access to your account?') },
    303: {
      description: 'If the authorisation cannot begin, a redirect to `return_to` with `error` in the query.',
      headers: { Location: 'Path below `/console/`.' },
    },
    problems: ['wrong_session', 'not_found'],
  })
  beginAuthorization(
    @KnownQueryParameters() query: StateQuery,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string | undefined> {
    return this.pages.ask(request, response, query);
  }

  @Post('authorize')
  @Public()
  @Operation('Decide an authorisation', {
    description: 'The form of the page sends this request, to continue to the provider or to end the authorisation.',
    200: {
      description: 'A page that confirms the end.',
      content: PAGE('The request is cancelled'),
    },
    303: {
      description: 'A redirect to the provider with a cookie for the callback, or to `return_to`.',
      headers: { Location: 'Page of the provider, or path below `/console/`.' },
    },
    problems: ['cross_site', 'wrong_session', 'not_found'],
  })
  decideAuthorization(
    @FormBody() form: AuthorizationForm,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string | undefined> {
    return this.pages.decide(request, response, form);
  }

  @Get('callback')
  @Public()
  @Operation('Finish an authorisation', {
    description:
      'The provider redirects the browser to this operation. It adds the source, or authorises an existing ' +
      'source or connection. A state can be used once, and only in the browser in which a person continued the authorisation.',
    200: {
      description: 'Without `return_to`, a page that confirms the connection.',
      content: PAGE('Notion is connected'),
    },
    303: {
      description:
        'If the authorisation began with `return_to`, a redirect to it with `connected` or `error` in the query.',
      headers: { Location: 'Path below `/console/`.' },
    },
    problems: ['not_found'],
  })
  finishAuthorization(
    @KnownQueryParameters() query: CallbackQuery,
    @Req() request: ApiRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string | undefined> {
    return this.pages.finish(request, response, query);
  }
}
