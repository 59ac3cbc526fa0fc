import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Returns the hash that leads to an action of a page, for example `invite-member` for `Invite member`. */
export function hashOf(action: string): string {
  return action.toLowerCase().replaceAll(' ', '-');
}

/** Calls `act` when a link leads to this action. Removes the hash, so that the back button does not repeat the call. */
export function useLinked(action: string, act: () => void): void {
  const hash = useLocation({ select: (location) => location.hash });
  const navigate = useNavigate();
  useEffect(() => {
    if (hash !== hashOf(action)) return;
    act();
    void navigate({ to: '.', search: true, replace: true });
  }, [hash]);
}
