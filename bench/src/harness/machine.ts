import { cpus, loadavg } from "node:os";

export function loadAverage(): number {
  return loadavg()[0] ?? 0;
}

/** `node v24.21.0, 2 × AMD EPYC, load average 0.42`. */
export function machineText(): string {
  const all = cpus();
  const model = all[0]?.model.trim() ?? "unknown processor";
  return `node ${process.version}, ${all.length} × ${model}, load average ${loadAverage().toFixed(2)}`;
}
