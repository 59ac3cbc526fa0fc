import type { ErrorPlace } from '@app/kernel';

/** Whether a string is an absolute http or https URL without a user name or password. */
export function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

export function wrongUrl(pointer: string): ErrorPlace {
  return { pointer, detail: 'This value must be an absolute http or https URL without a user name or password.' };
}
