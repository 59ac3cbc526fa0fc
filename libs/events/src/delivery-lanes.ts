/** What belongs to an endpoint. */
interface ForEndpoint {
  endpointId: string;
}

interface Lane<Delivery> {
  waiting: Delivery[];
  underWay: number;
}

export interface LaneLimits {
  /** Requests under way to one endpoint. */
  perEndpoint: number;
  /** Requests under way in all. */
  inAll: number;
}

/**
 * Deliveries that wait to be sent, in a lane for each endpoint. Endpoints take turns, and none has more than its share
 * of requests under way: however many wait for a slow one, the others pass it.
 */
export class DeliveryLanes<Delivery extends ForEndpoint> {
  // A Map iterates in the order of insertion; reinserting a lane puts it behind the others.
  private readonly lanes = new Map<string, Lane<Delivery>>();
  private underWay = 0;

  /** `send` is called for each delivery when it is its turn; it must not reject. */
  constructor(
    private readonly limits: LaneLimits,
    private readonly send: (delivery: Delivery) => Promise<void>,
  ) {}

  add(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.laneOf(delivery.endpointId).waiting.push(delivery);
    this.start();
  }

  /** Those of one endpoint that have not begun; they are not sent. */
  takeBack(endpointId: string): Delivery[] {
    const lane = this.lanes.get(endpointId);
    return lane ? lane.waiting.splice(0) : [];
  }

  /** {@link takeBack} of every endpoint. */
  takeBackAll(): Delivery[] {
    return [...this.lanes.keys()].flatMap((endpointId) => this.takeBack(endpointId));
  }

  private laneOf(endpointId: string): Lane<Delivery> {
    const known = this.lanes.get(endpointId);
    if (known) return known;
    const lane = { waiting: [], underWay: 0 };
    this.lanes.set(endpointId, lane);
    return lane;
  }

  private start(): void {
    // A lane that is put behind the others comes again in the same pass, until nothing more can begin.
    for (const [endpointId, lane] of this.lanes) {
      if (this.underWay >= this.limits.inAll) return;
      const next = lane.underWay < this.limits.perEndpoint ? lane.waiting.shift() : undefined;
      if (!next) continue;
      this.lanes.delete(endpointId);
      this.lanes.set(endpointId, lane);
      this.begin(next, lane);
    }
  }

  private begin(delivery: Delivery, lane: Lane<Delivery>): void {
    lane.underWay += 1;
    this.underWay += 1;
    void this.send(delivery).finally(() => {
      lane.underWay -= 1;
      this.underWay -= 1;
      if (lane.underWay === 0 && lane.waiting.length === 0) this.lanes.delete(delivery.endpointId);
      this.start();
    });
  }
}
