import { ApiSchema } from '@nestjs/swagger';
import { type PersonSession, SIGN_IN_METHODS, type SignInMethod } from '@app/workspace';
import { Flag, Id, OneOf, Text, Timestamp } from '../http/fields.js';

@ApiSchema({ name: 'Session', description: 'The session of a person in one browser.' })
export class SessionResource {
  @Id('session') id: string;
  @OneOf(SIGN_IN_METHODS, { description: 'How the person signed in.', example: 'email' }) method: SignInMethod;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Timestamp({ description: 'Time of the last request, to the minute.' }) last_seen_at: string;
  @Timestamp({ description: 'Latest time at which the session ends. Twelve hours without a request also end it.' })
  expires_at: string;
  @Text({
    description: 'Browser, as reported in its `User-Agent` header.',
    example: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0',
  })
  user_agent: string;
  @Flag({ description: 'Whether this is the session of the request.' }) current: boolean;
}

export function presentSession(session: PersonSession, currentId: string | undefined): SessionResource {
  return {
    id: session.id,
    method: session.method,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    user_agent: session.userAgent,
    current: session.id === currentId,
  };
}
