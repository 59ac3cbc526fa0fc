import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import type { Transport } from './transport.js';

/**
 * Sign-in of people. A session is stored in a cookie, so these methods are for browsers. The exception is {@link
 * Auth.redeemCliCode}.
 */
export class Auth {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns the sign-in methods that the installation offers. */
  methods(options: RequestOptions = {}): Promise<Answer<'getSignInMethods'>> {
    return this.#transport.call('getSignInMethods', {}, options);
  }

  /** Signs in with the token of a sign-in link. A token can be used once. */
  link(body: Body<'signInWithLink'>, options: RequestOptions = {}): Promise<Answer<'signInWithLink'>> {
    return this.#transport.call('signInWithLink', { body }, options);
  }

  /** Exchanges an API key for a session with the role and the scopes of the key. */
  key(body: Body<'signInWithKey'>, options: RequestOptions = {}): Promise<Answer<'signInWithKey'>> {
    return this.#transport.call('signInWithKey', { body }, options);
  }

  /** If the address belongs to a member, sends an e-mail with a sign-in link and a code to it. */
  email(body: Body<'requestSignInMail'>, options: RequestOptions = {}): Promise<Answer<'requestSignInMail'>> {
    return this.#transport.call('requestSignInMail', { body }, options);
  }

  /** Signs in with the code of a sign-in e-mail. Works only in the browser that requested the e-mail. */
  verifyEmail(body: Body<'signInWithCode'>, options: RequestOptions = {}): Promise<Answer<'signInWithCode'>> {
    return this.#transport.call('signInWithCode', { body }, options);
  }

  /** Ends the session of this browser. */
  signOut(options: RequestOptions = {}): Promise<Answer<'signOut'>> {
    return this.#transport.call('signOut', {}, options);
  }

  /** Creates a code that the CLI exchanges for an API key of the caller. */
  authorizeCli(body: Body<'authorizeCli'>, options: RequestOptions = {}): Promise<Answer<'authorizeCli'>> {
    return this.#transport.call('authorizeCli', { body }, options);
  }

  /** Exchanges the code of {@link Auth.authorizeCli} for an API key. */
  redeemCliCode(body: Body<'redeemCliCode'>, options: RequestOptions = {}): Promise<Answer<'redeemCliCode'>> {
    return this.#transport.call('redeemCliCode', { body }, options);
  }
}

/** Sessions of the caller. Each session belongs to a browser in which the caller has signed in. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the sessions of the caller that have not ended. */
  list(query: Query<'listSessions'> = {}, options: ListOptions = {}): List<Item<'listSessions'>> {
    return this.#transport.list('listSessions', { query }, options);
  }

  /** Ends a session of the caller. */
  end(id: string, options: RequestOptions = {}): Promise<void> {
    return this.#transport.remove('endSession', { path: { id } }, options);
  }

  /** Replaces the session of the caller by a session in another workspace of which the same person is a member. */
  switch(body: Body<'switchWorkspace'>, options: RequestOptions = {}): Promise<Answer<'switchWorkspace'>> {
    return this.#transport.call('switchWorkspace', { body }, options);
  }
}
