import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError } from '@app/kernel';
import type { ApiRequest } from '../http/request-context.js';
import { authorizedPage, cancelledPage, questionPage, refusalPage } from './authorization-pages.js';
import { AuthorizingBrowserService } from './authorizing-browser.service.js';
import { authorizationAnswer, type AuthorizationForm, type CallbackQuery, type StateQuery } from './oauth.api.js';
import { OauthFlowsService } from './oauth-flows.service.js';

/** The page of a response. Undefined after a redirect. */
type Page = string | undefined;

/** Errors that the person must read here, because the page to return to may belong to another session. */
const SHOWN_HERE: readonly string[] = ['cross_site', 'wrong_session'];

/** Leads a browser through an authorisation: the question, the provider, and back to the console or to a last page. */
@Injectable()
export class OauthPagesService {
  constructor(
    private readonly flows: OauthFlowsService,
    private readonly browser: AuthorizingBrowserService,
  ) {}

  ask(request: ApiRequest, response: Response, { state, return_to: returnTo }: StateQuery): Promise<Page> {
    return this.orRefusal(request, response, returnTo, async () => {
      const question = await this.flows.ask(state, await this.browser.signedInMember(request));
      const token = this.browser.issueToken(request, response, state);
      return questionPage(response, question, { state, token, ...(returnTo !== undefined && { return_to: returnTo }) });
    });
  }

  /** @throws DomainError `cross_site` if the form was not sent by the page of this browser */
  decide(request: ApiRequest, response: Response, form: AuthorizationForm): Promise<Page> {
    const { state, decision, return_to: returnTo } = form;
    return this.orRefusal(request, response, returnTo, async () => {
      this.browser.assertOwnForm(request, form);
      if (decision === 'cancel') {
        const question = await this.flows.cancel(state);
        if (returnTo === undefined) return cancelledPage(response, question);
        return sendBack(response, returnTo, 'error', 'invalid_request');
      }
      const member = await this.browser.signedInMember(request);
      const { url } = await this.flows.ask(state, member);
      const continued = { state, returnTo: returnTo ?? null, authorizedBy: member?.email ?? null };
      this.browser.rememberContinued(request, response, continued);
      response.status(303).setHeader('Location', url);
      return undefined;
    });
  }

  finish(request: ApiRequest, response: Response, query: CallbackQuery): Promise<Page> {
    const continued = this.browser.continuedAuthorization(request, query.state);
    const returnTo = continued?.returnTo ?? undefined;
    return this.orRefusal(request, response, returnTo, async () => {
      const authorized = await this.flows.finish(authorizationAnswer(query, continued));
      this.browser.forgetContinued(request, response);
      if (returnTo === undefined) return authorizedPage(response, authorized);
      return sendBack(response, returnTo, 'connected', authorized.id);
    });
  }

  /**
   * After an error, sends the browser back to the console with its code, or shows a page.
   * @throws the error if it is not a `DomainError`, or if the client did not ask for a page
   */
  private async orRefusal(
    request: ApiRequest,
    response: Response,
    returnTo: string | undefined,
    work: () => Promise<Page>,
  ): Promise<Page> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (returnTo !== undefined && !SHOWN_HERE.includes(error.code))
        return sendBack(response, returnTo, 'error', error.code);
      if (request.headers.accept?.includes('text/html') !== true) throw error;
      return refusalPage(response, request.id, error);
    }
  }
}

function sendBack(response: Response, returnTo: string, name: 'connected' | 'error', value: string): Page {
  const url = new URL(returnTo, 'http://console.invalid');
  url.searchParams.set(name, value);
  response.status(303).setHeader('Location', url.pathname + url.search);
  return undefined;
}
