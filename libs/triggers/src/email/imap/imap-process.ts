import { DomainError } from '@app/kernel';
import { within } from '@app/platform/sandbox';
import { type ImapLogin, ImapSession, type MailWindow } from './imap-session.js';

export interface OpenFolderRequest {
  folder: number;
  login: ImapLogin;
  address: string;
  largest: number;
  millis: number;
}

export type FolderMethod = 'uidBefore' | 'uidsAfter' | 'sizeOf' | 'read' | 'changed';

export interface FolderRequest {
  folder: number;
  method: FolderMethod;
  argument: unknown;
  millis: number;
}

export interface FolderAnswer {
  value: unknown;
  isOpen: boolean;
}

const sessions = new Map<number, ImapSession>();

function carryOut(session: ImapSession, method: FolderMethod, argument: unknown): Promise<unknown> {
  switch (method) {
    case 'uidBefore':
      return session.uidBefore(argument as Date);
    case 'changed':
      return session.changed();
    case 'read':
      return session.read(argument as MailWindow);
    case 'uidsAfter':
    case 'sizeOf':
      return session[method](argument as number);
  }
}

function late(millis: number): Error {
  return new Error(`The IMAP server did not respond completely within ${millis / 1_000} s.`);
}

export async function open({ folder, login, address, largest, millis }: OpenFolderRequest): Promise<bigint> {
  const session = await within(millis, ImapSession.open(login, address, largest), () => late(millis));
  sessions.set(folder, session);
  return session.uidValidity;
}

export async function call({ folder, method, argument, millis }: FolderRequest): Promise<FolderAnswer> {
  const session = sessions.get(folder);
  if (!session) throw new DomainError('unavailable', 'The IMAP connection has been closed.');
  session.restart();
  try {
    const value = await within(millis, carryOut(session, method, argument), () => late(millis));
    return { value, isOpen: session.isOpen };
  } catch (error) {
    session.close();
    throw error;
  }
}

export function close(folder: number): void {
  sessions.get(folder)?.close();
  sessions.delete(folder);
}
