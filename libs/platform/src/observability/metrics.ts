import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

/** Declaration of a metric. */
export interface MetricDescription<Label extends string> {
  name: string;
  help: string;
  /** Their values must come from small fixed sets, never from ids or user input. */
  labels?: readonly Label[];
}

export type MetricValues = MetricObjectWithValues<MetricValue<string>>;

/** Declare each metric once. */
export class Metrics {
  private readonly registry = new Registry();
  private included: readonly MetricValues[] = [];

  /**
   * @param ofNode whether to include the metrics of Node. They describe the whole process, so only the main thread
   * includes them.
   */
  constructor({ ofNode = true } = {}) {
    if (ofNode) collectDefaultMetrics({ register: this.registry });
  }

  /** Replaces the earlier report of that thread. */
  include(metrics: readonly MetricValues[]): void {
    this.included = metrics;
  }

  counter<Label extends string = never>(
    { name, help, labels = [] }: MetricDescription<Label>,
    read?: (counter: Counter<Label>) => void | Promise<void>,
  ): Counter<Label> {
    const counter: Counter<Label> = new Counter({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      collect: () => read?.(counter),
    });
    return counter;
  }

  histogram<Label extends string = never>(
    { name, help, labels = [] }: MetricDescription<Label>,
    buckets: readonly number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [this.registry] });
  }

  gauge<Label extends string = never>(
    { name, help, labels = [] }: MetricDescription<Label>,
    read?: (gauge: Gauge<Label>) => void | Promise<void>,
  ): Gauge<Label> {
    const gauge: Gauge<Label> = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [this.registry],
      collect: () => read?.(gauge),
    });
    return gauge;
  }

  async read(): Promise<MetricValues[]> {
    return (await this.combined()).getMetricsAsJSON();
  }

  async render(): Promise<{ contentType: string; text: string }> {
    const registry = await this.combined();
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  private async combined(): Promise<Registry> {
    if (this.included.length === 0) return this.registry;
    const own = await this.registry.getMetricsAsJSON();
    // A metric that only one of them reports keeps its value.
    return AggregatorRegistry.aggregate([own, this.included].map((each) => each.map(asSum)));
  }
}

function asSum(metric: MetricValues): MetricValues {
  return { ...metric, aggregator: 'sum' };
}
