/**
 * Webhooks: endpoints and deliveries of the events that other libs write into the outbox. Nothing of it is in this release.
 */
export {};
