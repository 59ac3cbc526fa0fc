export { MailModule } from './mail.module.js';
export { MailRelay } from './mail-relay.js';
export { type MailAttachment, MailRefused, type OutgoingMail } from './outgoing-mail.js';
export { type MailConfig, mailConfig } from './mail.config.js';
