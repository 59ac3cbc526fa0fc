import type { Request } from 'express';
import type { Principal } from '@app/workspace';

/** A request as the api's own middleware and guards leave it. */
export interface ApiRequest extends Request {
  /** Set by the first middleware, so every request has one. */
  id: string;
  /** Set by the authentication guard; absent on public routes. */
  principal?: Principal;
}
