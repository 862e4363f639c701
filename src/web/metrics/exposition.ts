import { Gauge as PrometheusGauge, Registry } from "prom-client";

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All our figures are read from the tables on request; this process keeps none. */
export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

export function gauge(name: string, help: string, samples: readonly Sample[]): Gauge {
  return { name, help, samples };
}

/** Prometheus' text format. A gauge without samples is still listed. */
export function exposed(gauges: readonly Gauge[]): Promise<string> {
  const registry = new Registry();
  for (const { name, help, samples } of gauges) {
    const labelNames = Object.keys(samples[0]?.labels ?? (samples.length === 0 ? { none: "" } : {}));
    const metric = new PrometheusGauge({ name, help, labelNames, registers: [registry] });
    for (const { labels = {}, value } of samples) metric.set({ ...labels }, value);
  }
  return registry.metrics();
}
