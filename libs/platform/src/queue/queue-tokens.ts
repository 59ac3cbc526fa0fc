/** Injection token of the connection that this process rings with. */
export const QUEUE_PUBLISHER = Symbol('QUEUE_PUBLISHER');
